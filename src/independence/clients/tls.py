"""Why a server is not trusted or does not speak TLS, and what helps."""

from __future__ import annotations

import os
import ssl
from pathlib import Path
from typing import Final, NamedTuple

import aiohttp

_FILE: Final = "SSL_CERT_FILE"
_NO_TLS: Final = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNEXPECTED_EOF_WHILE_READING")


class TlsProblem(NamedTuple):
    """What is wrong, and what helps."""

    detail: str
    fix: str


# By OpenSSL's number of why a certificate is not valid (X509_V_ERR_...).
_INVALID: Final = {
    9: TlsProblem("its TLS certificate is not valid yet", "check the clock of this machine"),
    10: TlsProblem("its TLS certificate has expired", "renew it on the server, or check the clock of this machine"),
    62: TlsProblem("its TLS certificate is for another host name", "use the host name in the certificate"),
    64: TlsProblem("its TLS certificate is not for this IP address", "use the host name in the certificate"),
}
_UNKNOWN: Final = (2, 18, 19, 20, 21, 27)  # likewise, of a certificate that nobody known has signed
_OWN: Final = 18


def problem(error: aiohttp.ClientSSLError) -> TlsProblem:
    """What an error of a connection that should be TLS means."""
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        found = error.certificate_error
        code = found.verify_code if isinstance(found, ssl.SSLCertVerificationError) else 0
        if code in _UNKNOWN:
            return _unknown(own=code == _OWN)
        why = str(getattr(found, "verify_message", "") or found).lower()
        fix = "give the server one without this fault; Python 3.13 and newer check more than older ones"
        return _INVALID.get(code) or TlsProblem(f"its TLS certificate is not valid ({why})", fix)
    reason = getattr(error.os_error, "reason", None) or ""
    if reason in _NO_TLS:
        return TlsProblem("it does not speak TLS on this port", "write http:// in place of https://")
    why = f" ({reason.replace('_', ' ').lower()})" if reason else ""
    return TlsProblem(f"TLS fails{why}", "check address and port, and what the server requires of its clients")


def _unknown(*, own: bool) -> TlsProblem:
    by = "self-signed" if own else "signed by an authority that this machine does not know"
    named = os.environ.get(_FILE, "")
    if named and not Path(named).is_file():
        return TlsProblem(f"its TLS certificate is {by}", f"correct {_FILE}: {named} is no file")
    whose = "it" if own else "the certificate of that authority"
    where = f"add {whose} to {named} ({_FILE})" if named else f"set {_FILE} to a file (PEM) that holds {whose}"
    return TlsProblem(f"its TLS certificate is {by}", f"{where}; REQUESTS_CA_BUNDLE is not read")
