"""Documents that are more than plain text: taken apart by readers in limited processes of their own."""
