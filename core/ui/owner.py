"""Who a browser is: a key that cannot be guessed, kept in a cookie of that browser."""

import re

import streamlit as st

from core.store import new_key

COOKIE = "basis-explorer-key"
_FORM = re.compile(r"[A-Za-z0-9_-]{24,64}")

_keep = st.components.v2.component(
    "basis_owner",
    html="",
    js="""
export default function ({ data }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${data.name}=${data.key}; Path=/; Max-Age=31536000; SameSite=Strict${secure}`;
}
""",
)


def owner_key() -> str:
    """The key of this browser's own place in the library and of its runs.

    A link with `?key=` (from the page *Library*) brings the key to another browser; it leaves the address at once, so
    that a copied address never carries it.
    """
    if "key" in st.query_params:
        given = st.query_params["key"]
        del st.query_params["key"]
        if _FORM.fullmatch(given):
            st.session_state["owner"] = given
    if "owner" not in st.session_state:
        known = str(st.context.cookies.get(COOKIE, ""))
        st.session_state["owner"] = known if _FORM.fullmatch(known) else new_key()
    return st.session_state["owner"]


def remember_owner() -> None:
    """Have the browser keep the key, if it does not have it yet. Draws nothing."""
    if st.context.cookies.get(COOKIE) != owner_key():
        _keep(key="owner:cookie", data={"name": COOKIE, "key": owner_key()}, height=1)
