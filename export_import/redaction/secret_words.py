"""The words that names of secrets are made of."""

from __future__ import annotations

# Words that make a name a secret's by themselves.
SECRET = frozenset({
    "password", "passwords", "passwd", "passwds", "passphrase", "passphrases", "passcode", "pwd", "pw",
    "psw", "pwds", "secret", "secrets", "credential", "credentials", "token", "tokens", "authorization",
    "cookie", "cookies", "cookie2", "psk", "apikey", "apikeys", "authtoken", "accesstoken", "accesskey",
    "secretkey", "privatekey", "privkey", "sharedkey", "sharedsecret", "clientsecret", "encryptionkey",
    "masterkey", "signingkey", "sessionkey", "presharedkey", "accountkey", "sharedaccesskey",
    "sharedaccesssignature", "storepass", "keypass", "keypassword", "dbpass", "dbpassword", "dbpw",
    "dbpwd", "userpass", "userpassword", "userpwd", "mypassword", "passin", "passout", "bindpw",
    "bindpassword", "rootpw", "rootpassword", "requirepass", "masterauth", "sshpass", "rpcpassword",
    "smtppass", "mailpass", "adminpass", "adminpassword", "wifipass", "wpapass", "jsessionid",
    "phpsessid", "sessionid", "sessid", "sid", "csrftoken", "xsrf", "csrf", "otp", "totp", "mnemonic",
    "dockerconfigjson", "dockercfg", "unicodepwd", "ntpassword", "lmpassword", "cpassword", "mypwd",
    "authkey", "authpass", "authpassword", "privpass", "privpassword", "pgpassword", "mysqlpwd", "pass",
    "pin", "kennwort", "passwort", "wachtwoord", "contrasena", "senha", "motdepasse",
})  # fmt: skip
# Words that make one of a "key" behind them.
KEY_OF = frozenset({
    "api", "access", "secret", "private", "priv", "encryption", "encrypt", "decryption", "signing",
    "sign", "master", "account", "shared", "auth", "authorization", "storage", "session", "preshared",
    "pre", "hmac", "aes", "des", "jwt", "cipher", "crypto", "license", "licence", "deploy", "webhook",
    "rpc", "tls", "ssl", "validation", "machine", "app", "application", "client", "consumer",
    "subscription", "functions", "cookie", "fernet", "routing", "service", "integration", "product",
    "activation", "mch",
})  # fmt: skip
# And of a "code"; and what is one although it ends in "id".
CODE_OF = frozenset({"activation", "recovery", "unlock", "backup"})
ID_OF = ("accesskeyid", "privatekeyid", "secretid")
# Only where the whole name is the word, or ends with it.
SHORT_WORDS = frozenset({"cookies", "otp", "pin", "sid", "totp"})
# Words after it that make it something that tells about a secret.
ABOUT = frozenset({
    "policy", "policies", "length", "len", "count", "counts", "counter", "min", "max", "size", "sizes",
    "type", "types", "expires", "expire", "expiry", "expired", "expiration", "expiresin", "age", "ttl",
    "file", "files", "filename", "path", "paths", "dir", "directory", "folder", "name", "names", "id",
    "ids", "ref", "refs", "reference", "references", "url", "uri", "urls", "endpoint", "host", "format",
    "formats", "prompt", "required", "requires", "enabled", "disabled", "label", "title", "strength",
    "attempts", "attempt", "retries", "retry", "changed", "change", "updated", "update", "created",
    "create", "creation", "valid", "validity", "validation", "validator", "version", "versions",
    "method", "methods", "manager", "store", "storage", "provider", "providers", "reset", "rules",
    "rule", "regex", "pattern", "limit", "limits", "usage", "budget", "used", "total", "totals", "env",
    "environment", "var", "variable", "algorithm", "alg", "encoding", "encoder", "prefix", "index",
    "position", "offset", "set", "flow", "error", "errors", "failure", "failures", "request",
    "requests", "response", "status", "state", "rotation", "rotated", "lifetime", "timeout", "interval",
    "days", "hours", "minutes", "seconds", "at", "on", "by", "for", "in", "is", "of", "per", "field",
    "fields", "column", "columns", "table", "tables", "class", "classes", "service", "server", "issuer",
    "audience", "scope", "scopes", "mode", "charset", "bytes", "bits", "chars", "characters", "start",
    "end", "begin", "next", "prev", "previous", "stream", "streams", "parser", "limiter", "bucket",
    "kind", "source", "hint", "help", "text", "description", "warning", "ageing", "aging", "history",
    "maxage", "minage", "lastset", "reuse", "cost", "rate", "speed", "latency", "generator", "checker",
    "handler", "helper", "util", "utils", "test", "tests", "list", "lists", "lock", "locked", "window",
    "cache", "domain", "samesite", "secure", "httponly", "authentication", "login", "auth", "only",
    "file_name", "exists", "missing", "pos", "num", "number", "line", "lines", "iter", "count_total",
    "md5sum",
})  # fmt: skip
CHINESE = (
    "密码", "口令", "密钥", "私钥", "令牌", "凭证", "凭据", "密匙", "暗号", "授权码", "通行码", "通行证",
)  # fmt: skip
CHINESE_ABOUT = (
    "长度", "策略", "类型", "过期", "有效", "数量", "次数", "文件", "路径", "名称", "强度", "错误",
    "正确",
)  # fmt: skip
# Names as a whole.
EXACT = frozenset({
    "auth", "_auth", "x-auth", "x-api-key", "key_hex", "d_key", "jaas", "wpa_psk", "connect.sid",
    "tls.key", "id_rsa", "id_ed25519", "id_ecdsa", "community", ".dockerconfigjson", ".dockercfg",
    "encrypt", "samlresponse", "samlrequest",
    "sig", "x-amz-signature", "rocommunity", "rwcommunity", "otpauth", "webhook_url", "slack_webhook",
})  # fmt: skip
