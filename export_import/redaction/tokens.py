"""Tokens that are known by their looks alone: prefixes of services, JWT, addresses of webhooks."""

from __future__ import annotations

from export_import.redaction.rule import Found, Place, Rule, of_at_least

_TOKENS = rb"|".join(
    (
        rb"(?:AKIA|ASIA|AROA|ABIA)[0-9A-Z]+",
        rb"gh[pousr]_[A-Za-z0-9]+",
        rb"github_pat_\w+",
        rb"xox[abeoprs]-[A-Za-z0-9-]+",
        rb"xapp-[A-Za-z0-9-]+",
        rb"gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent)-[\w-]+",
        rb"AGE-SECRET-KEY-1[0-9A-Z]+",
        rb"(?:sk|rk|pk|whsec)_(?:live|test)_\w+",
        rb"whsec_\w+",
        rb"sk-[A-Za-z0-9_-]+",
        rb"npm_[A-Za-z0-9]+",
        rb"pypi-[\w-]+",
        rb"AIza[\w-]+",
        rb"ya29\.[\w-]+",
        rb"GOCSPX-[\w-]+",
        rb"1//0[\w-]+",
        rb"SG\.[\w-]+\.[\w-]+",
        rb"hf_[A-Za-z0-9]+",
        rb"do[opr]_v1_[0-9a-f]+",
        rb"shp(?:at|ca|pa|ss)_[0-9a-fA-F]+",
        rb"hv[sbr]\.[\w-]+",
        rb"dapi[0-9a-f]+",
        rb"lin_api_\w+",
        rb"sq0(?:atp|csp)-[\w-]+",
        rb"dckr_pat_[\w-]+",
        rb"gl(?:sa|c)_\w+",
        rb"NRAK-[A-Z0-9]+",
        rb"EAAC\w+",
        rb"(?:LTAI|AKID)[0-9A-Za-z]+",
        rb"rubygems_[0-9a-f]+",
        rb"PMAK-[\w-]+",
        rb"pul-[0-9a-f]+",
        rb"sbp_[0-9a-f]+",
        rb"tfp_\w+",
        rb"figd_[\w-]+",
        rb"ATATT[\w=-]+",
        rb"ATCTT[\w=-]+",
        rb"AQ[A-Z]{1}[\w-]+~[\w-]+",
        rb"key-[0-9a-f]+",
        rb"SK[0-9a-f]+",
        rb"AC[0-9a-f]+:[0-9a-f]+",
        rb"bkua_[0-9a-f]+",
        rb"CCIPAT_\w+",
        rb"nfp_\w+",
        rb"[A-Za-z0-9]+\.atlasv1\.[\w-]+",
        rb"ops_eyJ[\w-]+",
        rb"sntr[yu]s_\w+",
        rb"xkeysib-[0-9a-f-]+",
        rb"vault:v[0-9]+:[\w+/=]+",
    )
)
_WEBHOOK = (
    rb"hooks\.slack\.com/(?:services|workflows)/[\w/]+"
    rb"|discord(?:app)?\.com/api/webhooks/[0-9]+/[\w-]+|webhook\.office\.com/[\w@/-]+"
    rb"|api\.telegram\.org/bot[0-9]+:[\w-]+|qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=[\w-]+"
    rb"|(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/[\w-]+"
)


def _token(at: Found) -> Place | None:
    """Long enough, with digits among it, and not the middle of something longer."""
    before = at.text[at.start - 1 : at.start] if at.start else b""
    if at.found.startswith((b"sk-ssh-", b"sk-ecdsa-")):
        return None  # the kind of a key of OpenSSH
    least = (
        30
        if at.found[:2] in (b"SK", b"AC") or (at.found.startswith((b"key-", b"sk-")) and b"_" in at.found)
        else 20
    )
    good = (
        at.stop - at.start >= least
        and not before.isalnum()
        and (at.found.startswith(b"AKIA") or any(48 <= each <= 57 for each in at.found))
    )
    return (at.start, at.stop) if good else None


RULES = (
    Rule("jwt", rb"\beyJ[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.?[A-Za-z0-9_-]*", of_at_least(36)),
    Rule("webhook", _WEBHOOK, lambda at: (at.text.index(b"/", at.start) + 1, at.stop)),
    Rule("token", rb"\b[0-9]+:AA[\w-]+", of_at_least(40)),
    Rule("token", rb"(?:" + _TOKENS + rb")", _token),
)
