"""Texts that try to become a program: none of them may be more than text."""

from __future__ import annotations

from typing import Final

__all__ = ["PAYLOADS", "TRICKY_IDS"]

PAYLOADS: Final = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<ScRiPt>alert(1)</sCrIpT>",
    "<script src=https://evil.example/x.js></script>",
    "<img src=x onerror=alert(1)>",
    "<img src=https://evil.example/pixel.png>",
    "<IMG SRC=javascript:alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><animate onbegin=alert(1) attributeName=x dur=1s>",
    "<math><mtext></mtext><script>alert(1)</script></math>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data=javascript:alert(1)>",
    "<embed src=https://evil.example/x.swf>",
    "<body onload=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<select autofocus onfocus=alert(1)>",
    "<textarea autofocus onfocus=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<video><source onerror=alert(1)>",
    "<audio src=x onerror=alert(1)>",
    "<marquee onstart=alert(1)>",
    "<a href=javascript:alert(1)>click</a>",
    "<form action=javascript:alert(1)><button>go</button></form>",
    "<button formaction=javascript:alert(1)>go</button>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "<link rel=stylesheet href=https://evil.example/x.css>",
    "<style>@import 'https://evil.example/x.css';</style>",
    "<style>*{background:url(https://evil.example/x)}</style>",
    "<div style=background:url(https://evil.example/x)>",
    "<template><script>alert(1)</script></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<!--<script>alert(1)//-->",
    "<![CDATA[<script>alert(1)</script>]]>",
    "]]><img src=x onerror=alert(1)>",
    "\"'`><svg/onload=alert(1)>",
    "'-alert(1)-'",
    '";alert(1);//',
    "${alert(1)}",
    "{{constructor.constructor('alert(1)')()}}",
    "{{script}} {{body}}",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "__proto__",
    "constructor",
    "toString",
    "\u2028\u2029</ScRiPt >",
    "\u202egnp.exe\u2066 \x07",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;img src=x onerror=alert(1)&#62;",
    "\uff1cscript\uff1ealert(1)\uff1c/script\uff1e",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
]

TRICKY_IDS: Final = [
    *(".", "..", "../../etc/passwd", "a/b", "/", "//", "a//b", "a%2Fb", "%", "%zz", "%2e%2e", "?id=x", "#", "#check"),
    *("a b", " a", "a\tb", "a\nb", "ünïcode", "日本語", "😀", "👩‍👩‍👧", "a&b=c", "a+b", "x" * 500),
]
"""Ids that get lost in an address unless it is made with care."""
