"""Helpers that know nothing of documents: ids and texts, columns of numbers, tables as files, wording for people.

Nothing here loads pyarrow before somebody asks for an Arrow array or a Parquet file.
"""
