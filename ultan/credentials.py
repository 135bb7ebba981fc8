"""The kinds of credential we know by sight: a table of facts, no code.

``redaction.py`` reads it. Every row was taken from the issuer's own description of
its tokens. A row matches where its literal stands at a boundary and at least so many
letters of its alphabet follow; what comes after the token never matters, because in
prose it may be a full stop, a bracket or a Chinese character.
"""

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
HEX = DIGITS + "abcdefABCDEF"
WORD = UPPER + LOWER + DIGITS
URLSAFE = WORD + "-_"
BASE64 = WORD + "+/="
TOKEN = WORD + "-_."
CRYPT = WORD + "./$+=,-"

# (literal, kind, alphabet of what follows, at least so many, exactly so many if not 0)
PREFIXES = (
    # clouds
    ("AKIA", "aws-key-id", UPPER + DIGITS, 16, 16),
    ("ASIA", "aws-key-id", UPPER + DIGITS, 16, 16),
    ("ABIA", "aws-key-id", UPPER + DIGITS, 16, 16),
    ("ACCA", "aws-key-id", UPPER + DIGITS, 16, 16),
    ("ABSK", "aws-bedrock-key", BASE64, 60, 0),
    ("FwoGZXIvYXdz", "aws-session-token", BASE64, 60, 0),
    ("IQoJb3JpZ2lu", "aws-session-token", BASE64, 60, 0),
    ("AIza", "google-api-key", URLSAFE, 30, 0),
    ("GOCSPX-", "google-oauth-secret", URLSAFE, 20, 0),
    ("1//0", "google-refresh-token", URLSAFE, 30, 0),
    ("ya29.", "google-access-token", TOKEN, 30, 0),
    ("LTAI", "alibaba-key-id", WORD, 16, 20),
    ("dop_v1_", "digitalocean-token", HEX, 40, 0),
    ("doo_v1_", "digitalocean-token", HEX, 40, 0),
    ("dor_v1_", "digitalocean-token", HEX, 40, 0),
    ("fo1_", "flyio-token", URLSAFE, 30, 0),
    ("fm1_", "flyio-token", BASE64, 60, 0),
    ("fm2_", "flyio-token", BASE64, 60, 0),
    ("HRKU-", "heroku-key", URLSAFE, 30, 0),
    ("nfp_", "netlify-token", WORD, 30, 0),
    ("vcp_", "vercel-token", WORD, 20, 0),
    ("sbp_", "supabase-token", HEX, 30, 0),
    ("sb_secret_", "supabase-token", URLSAFE, 20, 0),
    ("pscale_tkn_", "planetscale-token", TOKEN, 30, 0),
    ("pscale_pw_", "planetscale-token", TOKEN, 30, 0),
    ("pscale_oauth_", "planetscale-token", TOKEN, 30, 0),
    ("dapi", "databricks-token", HEX, 32, 0),
    ("dp.pt.", "doppler-token", WORD, 30, 0),
    ("dp.st.", "doppler-token", TOKEN, 30, 0),
    ("dp.ct.", "doppler-token", WORD, 30, 0),
    ("dp.sa.", "doppler-token", WORD, 30, 0),
    ("hvs.", "vault-token", URLSAFE, 20, 0),
    ("hvb.", "vault-token", URLSAFE, 20, 0),
    ("hvr.", "vault-token", URLSAFE, 20, 0),
    ("pul-", "pulumi-token", HEX, 40, 0),
    ("rnd_", "render-token", WORD, 24, 0),
    ("AVNS_", "aiven-password", URLSAFE, 16, 0),
    ("dt0c01.", "dynatrace-token", TOKEN, 60, 0),
    ("tskey-", "tailscale-key", URLSAFE, 20, 0),
    # source control, packages, build
    ("ghp_", "github-pat", WORD, 20, 0),
    ("gho_", "github-oauth", WORD, 20, 0),
    ("ghu_", "github-app-token", WORD, 20, 0),
    ("ghs_", "github-app-token", WORD, 20, 0),
    ("ghr_", "github-refresh-token", WORD, 20, 0),
    ("github_pat_", "github-pat", WORD + "_", 20, 0),
    ("glpat-", "gitlab-pat", TOKEN, 16, 0),
    ("gldt-", "gitlab-token", TOKEN, 16, 0),
    ("glrt-", "gitlab-token", TOKEN, 16, 0),
    ("glrtr-", "gitlab-token", TOKEN, 16, 0),
    ("glptt-", "gitlab-token", TOKEN, 16, 0),
    ("glft-", "gitlab-token", TOKEN, 16, 0),
    ("glsoat-", "gitlab-token", TOKEN, 16, 0),
    ("glcbt-", "gitlab-token", TOKEN, 16, 0),
    ("glimt-", "gitlab-token", TOKEN, 16, 0),
    ("glagent-", "gitlab-token", TOKEN, 30, 0),
    ("ATBB", "bitbucket-password", WORD, 28, 0),
    ("ATATT3", "atlassian-token", URLSAFE + "=", 60, 0),
    ("ATCTT3", "atlassian-token", URLSAFE + "=", 60, 0),
    ("npm_", "npm-token", WORD, 30, 0),
    ("pypi-AgE", "pypi-token", URLSAFE, 40, 0),
    ("rubygems_", "rubygems-key", HEX, 40, 0),
    ("cio", "crates-token", WORD, 32, 32),
    ("oy2", "nuget-key", LOWER + DIGITS, 43, 43),
    ("dckr_pat_", "docker-token", URLSAFE, 20, 0),
    ("dckr_oat_", "docker-token", URLSAFE, 20, 0),
    ("CCIPAT_", "circleci-token", URLSAFE, 30, 0),
    ("CCIPRJ_", "circleci-token", URLSAFE, 30, 0),
    ("bkua_", "buildkite-token", HEX, 40, 0),
    ("squ_", "sonar-token", HEX, 40, 0),
    ("sqp_", "sonar-token", HEX, 40, 0),
    ("sqa_", "sonar-token", HEX, 40, 0),
    ("AKCp", "artifactory-key", WORD, 60, 0),
    ("CLOJARS_", "clojars-token", WORD, 40, 0),
    ("sgp_", "sourcegraph-token", WORD + "_", 40, 0),
    # language models
    ("sk-ant-", "anthropic-key", URLSAFE, 20, 0),
    ("sk-proj-", "openai-key", URLSAFE, 20, 0),
    ("sk-svcacct-", "openai-key", URLSAFE, 20, 0),
    ("sk-admin-", "openai-key", URLSAFE, 20, 0),
    ("sk-or-v1-", "openrouter-key", URLSAFE, 20, 0),
    ("sk-lf-", "langfuse-key", URLSAFE, 20, 0),
    ("sk-", "secret-key", URLSAFE, 20, 0),
    ("csk-", "cerebras-key", WORD, 30, 0),
    ("hf_", "huggingface-token", WORD, 30, 0),
    ("gsk_", "groq-key", WORD, 40, 0),
    ("pplx-", "perplexity-key", WORD, 40, 0),
    ("xai-", "xai-key", WORD, 40, 0),
    ("r8_", "replicate-token", WORD, 32, 0),
    ("lsv2_pt_", "langsmith-key", WORD + "_", 30, 0),
    ("lsv2_sk_", "langsmith-key", WORD + "_", 30, 0),
    ("nvapi-", "nvidia-key", URLSAFE, 40, 0),
    ("tvly-", "tavily-key", URLSAFE, 24, 0),
    ("pcsk_", "pinecone-key", URLSAFE, 40, 0),
    ("jina_", "jina-key", URLSAFE, 40, 0),
    ("apify_api_", "apify-token", WORD, 30, 0),
    ("rpa_", "runpod-key", WORD, 40, 0),
    ("fw_", "fireworks-key", WORD, 22, 24),
    # messages
    ("xoxb-", "slack-token", URLSAFE, 12, 0),
    ("xoxp-", "slack-token", URLSAFE, 12, 0),
    ("xoxa-", "slack-token", URLSAFE, 12, 0),
    ("xoxr-", "slack-token", URLSAFE, 12, 0),
    ("xoxs-", "slack-token", URLSAFE, 12, 0),
    ("xoxc-", "slack-token", URLSAFE, 20, 0),
    ("xoxd-", "slack-token", URLSAFE + "%", 20, 0),
    ("xoxe", "slack-token", TOKEN, 40, 0),
    ("xapp-", "slack-token", URLSAFE, 30, 0),
    ("SG.", "sendgrid-key", TOKEN, 50, 0),
    ("key-", "mailgun-key", HEX, 32, 32),
    ("xkeysib-", "brevo-key", URLSAFE, 60, 0),
    ("re_", "resend-key", WORD + "_", 30, 0),
    # money
    ("sk_live_", "stripe-key", WORD, 16, 0),
    ("sk_test_", "stripe-key", WORD, 16, 0),
    ("rk_live_", "stripe-key", WORD, 16, 0),
    ("rk_test_", "stripe-key", WORD, 16, 0),
    ("whsec_", "stripe-webhook-secret", BASE64, 24, 0),
    ("EAAA", "square-token", URLSAFE, 50, 0),
    ("sq0atp-", "square-token", URLSAFE, 20, 0),
    ("sq0csp-", "square-secret", URLSAFE, 30, 0),
    ("shpat_", "shopify-token", HEX, 30, 0),
    ("shpss_", "shopify-token", HEX, 30, 0),
    ("shpca_", "shopify-token", HEX, 30, 0),
    ("shppa_", "shopify-token", HEX, 30, 0),
    ("access_token$production$", "braintree-token", WORD + "$", 30, 0),
    ("access_token$sandbox$", "braintree-token", WORD + "$", 30, 0),
    ("FLWSECK-", "flutterwave-key", URLSAFE, 20, 0),
    ("FLWSECK_", "flutterwave-key", URLSAFE, 20, 0),
    ("shippo_live_", "shippo-token", HEX, 30, 0),
    ("EZAK", "easypost-key", WORD, 50, 0),
    # observing, office
    ("NRAK-", "newrelic-key", WORD, 20, 0),
    ("sntrys_", "sentry-token", BASE64 + "_", 40, 0),
    ("sntryu_", "sentry-token", HEX, 40, 0),
    ("glsa_", "grafana-token", WORD + "_", 30, 0),
    ("glc_eyJ", "grafana-token", BASE64, 30, 0),
    ("ntn_", "notion-token", WORD, 40, 0),
    ("lin_api_", "linear-key", WORD, 30, 0),
    ("lin_oauth_", "linear-key", WORD, 30, 0),
    ("figd_", "figma-token", URLSAFE, 30, 0),
    ("figu_", "figma-token", URLSAFE, 30, 0),
    ("PMAK-", "postman-key", HEX + "-", 50, 0),
    ("sl.", "dropbox-token", URLSAFE, 60, 0),
    ("ops_eyJ", "1password-token", URLSAFE + "=", 60, 0),
    ("A3-", "1password-key", UPPER + DIGITS + "-", 30, 0),
    ("phx_", "posthog-key", WORD, 40, 0),
    # key material
    ("AGE-SECRET-KEY-1", "age-key", UPPER + DIGITS, 40, 0),
    ("$apr1$", "password-hash", CRYPT, 24, 0),
    ("$1$", "password-hash", CRYPT, 26, 0),
    ("$2a$", "password-hash", CRYPT, 50, 0),
    ("$2b$", "password-hash", CRYPT, 50, 0),
    ("$2y$", "password-hash", CRYPT, 50, 0),
    ("$5$", "password-hash", CRYPT, 44, 0),
    ("$6$", "password-hash", CRYPT, 60, 0),
    ("$y$", "password-hash", CRYPT, 40, 0),
    ("$argon2", "password-hash", CRYPT, 40, 0),
    ("pbkdf2_sha256$", "password-hash", CRYPT, 40, 0),
    ("v2.local.", "paseto", URLSAFE, 60, 0),
    ("v4.local.", "paseto", URLSAFE, 60, 0),
)  # fmt: skip

# A boundary before these must not be an underscore or a hyphen either: they are short enough to
# end an ordinary name.
TIMID = frozenset((
    "cio", "oy2", "sk-", "hf_", "re_", "r8_", "key-", "sl.", "fw_", "A3-", "dapi", "rpa_", "rnd_", "npm_", "vcp_",
))  # fmt: skip

# (what stands in the middle, kind, alphabet and length range before, alphabet and length range after)
INFIXES = (
    (".atlasv1.", "terraform-token", WORD, 14, 14, URLSAFE, 40, 90),
    ("T3Blbk" + "FJ", "openai-key", URLSAFE, 20, 90, URLSAFE, 20, 90),
    ("8Q~", "azure-client-secret", WORD, 3, 3, WORD + "-_.~", 30, 40),
    ("7Q~", "azure-client-secret", WORD, 3, 3, WORD + "-_.~", 30, 40),
    ("AZDO", "azure-devops-pat", WORD, 76, 76, WORD, 4, 4),
    (":AA", "telegram-token", DIGITS, 8, 10, URLSAFE, 30, 36),
    ("-us", "mailchimp-key", HEX, 32, 32, DIGITS, 1, 2),
)

# Tokens in parts: (how they begin, kind, length range of each part between dots).
SHAPES = (
    ("eyJ", "jwt", ((12, 4096), (12, 4096))),
    ("pat", "airtable-token", ((17, 17), (60, 70))),
    *((head, "discord-token", ((18, 40), (5, 7), (27, 80))) for head in (
        "MT", "MD", "Mz", "Mj", "NT", "ND", "Nz", "Nj", "OT", "OD", "Oj", "Oz",
    )),
)  # fmt: skip

# Whole addresses that are credentials.
ADDRESSES = (
    ("hooks.slack.com/", "slack-webhook", 24),
    ("discord.com/api/webhooks/", "discord-webhook", 40),
    ("discordapp.com/api/webhooks/", "discord-webhook", 40),
    ("webhook.office.com/", "teams-webhook", 40),
    ("outlook.office.com/webhook/", "teams-webhook", 40),
    ("chat.googleapis.com/v1/spaces/", "google-chat-webhook", 40),
)

# Stems of the words that announce a secret in a name, lower case, and the kind to say.
STEMS = (
    ("pass", "password"), ("pwd", "password"), ("secret", "secret"), ("token", "token"), ("key", "key"),
    ("credential", "credential"), ("auth", "credential"), ("_pat", "token"), ("-pat", "token"),
    ("connectionstring", "credential"), ("connection_string", "credential"), ("sessionid", "cookie"),
    ("session_id", "cookie"), ("jwt", "token"), ("psk", "key"), ("bearer", "token"), ("signature", "signature"),
    ("sig=", "signature"), ("pw", "password"),
)  # fmt: skip

# The same in prose. The first five are matched as whole names too, the rest only here.
TOLD = (
    ("password", "password"), ("passphrase", "password"), ("passcode", "password"), ("passwort", "password"),
    ("token", "token"), ("secret", "secret"), ("api key", "key"), ("access key", "key"), ("secret key", "key"),
    ("credentials", "credential"), ("kennwort", "password"), ("contrase\u00f1a", "password"), ("clave", "password"),
    ("mot de passe", "password"), ("senha", "password"), ("wachtwoord", "password"), ("l\u00f6senord", "password"),
    ("adgangskode", "password"), ("passord", "password"), ("salasana", "password"), ("heslo", "password"),
    ("has\u0142o", "password"), ("jelsz\u00f3", "password"), ("parola", "password"), ("\u015fifre", "password"),
    ("lozinka", "password"), ("kata sandi", "password"), ("m\u1eadt kh\u1ea9u", "password"),
    ("\u043f\u0430\u0440\u043e\u043b", "password"),  # Russian, Ukrainian, Bulgarian
    ("\u0442\u043e\u043a\u0435\u043d", "token"), ("\u043a\u043b\u044e\u0447", "key"),
    ("\u0441\u0435\u043a\u0440\u0435\u0442", "secret"),
    ("\u03ba\u03c9\u03b4\u03b9\u03ba\u03cc", "password"),  # Greek
    ("\u5bc6\u7801", "password"), ("\u5bc6\u78bc", "password"), ("\u53e3\u4ee4", "password"),
    ("\u5bc6\u94a5", "key"), ("\u5bc6\u9470", "key"), ("\u4ee4\u724c", "token"),  # Chinese
    ("\u30d1\u30b9\u30ef\u30fc\u30c9", "password"), ("\u30c8\u30fc\u30af\u30f3", "token"),  # Japanese
    ("\u6697\u8a3c\u756a\u53f7", "password"),
    ("\ube44\ubc00\ubc88\ud638", "password"), ("\uc554\ud638", "password"), ("\ud1a0\ud070", "token"),  # Korean
    ("\u0643\u0644\u0645\u0629 \u0627\u0644\u0633\u0631", "password"),  # Arabic
    ("\u0643\u0644\u0645\u0629 \u0627\u0644\u0645\u0631\u0648\u0631", "password"),
    ("\u05e1\u05d9\u05e1\u05de", "password"),  # Hebrew
    ("\u092a\u093e\u0938\u0935\u0930\u094d\u0921", "password"),  # Hindi
    ("\u0e23\u0e2b\u0e31\u0e2a\u0e1c\u0e48\u0e32\u0e19", "password"),  # Thai
)  # fmt: skip

# A name that ends so (separators and trailing digits dropped) holds a secret.
NAMES = (
    "password", "passwd", "passwort", "passphrase", "passcode", "pwd", "dbpass", "userpass", "secret", "token",
    "apikey", "accesskey", "secretkey", "privatekey", "accountkey", "authkey", "signingkey", "encryptionkey",
    "masterkey", "sharedkey", "presharedkey", "storagekey", "servicekey", "rolekey", "appkey", "applicationkey",
    "subscriptionkey", "licensekey", "clientkey", "deploykey", "sessionkey", "adminkey", "rootkey", "hmackey",
    "cryptokey", "keypass", "keysecret", "tokensecret", "credential", "credentials", "clientsecret", "jwt", "psk",
    "connectionstring", "secretbase", "authtoken", "bearer", "authorization",
)  # fmt: skip

# A name that ends so only looks like one that holds a secret.
EXCEPT = (
    "publickey", "primarykey", "foreignkey", "cachekey", "sortkey", "partitionkey", "hostkey", "nexttoken",
    "pagetoken", "synctoken", "continuationtoken", "eostoken", "bostoken", "padtoken", "unktoken", "masktoken",
    "septoken", "publickeytoken", "clstoken", "stoptoken", "specialtoken",
)  # fmt: skip

# A name in capitals that ends so is about a secret, but does not hold one.
HARMLESS = (
    "id", "ids", "url", "uri", "type", "types", "count", "counts", "name", "names", "path", "file", "limit",
    "limits", "length", "size", "expiry", "expires", "expiration", "ttl", "budget", "policy", "class", "field",
    "header", "label", "prompt", "reset", "required", "provider", "endpoint", "tokens", "keys", "secrets",
    "passwords", "index", "version", "format", "scope", "scopes", "issuer", "audience", "algorithm", "alg",
    "store", "validator", "hasher", "usage", "source", "ref", "regex", "pattern", "command", "cmd", "help",
    "hint", "error", "enabled", "disabled", "timeout", "time", "date", "min", "max", "host", "port", "user",
    "author", "authors", "authority", "authentication", "mode", "method", "kind", "dir", "folder", "bytes",
)  # fmt: skip

# Words at the end of a name that say which one, not what it is.
WHICH = (
    "production", "prod", "staging", "stage", "development", "dev", "test", "live", "old", "new", "backup",
    "primary", "secondary", "default", "value", "local", "main",
)  # fmt: skip

# Values that stand for a value: the first even after a known prefix, the others where a name announces one.
STAND_INS = (
    "example", "your-", "your_", "yourkey", "yourtoken", "yoursecret", "xxxxxx", "changeme", "change-me", "change_me",
    "placeholder", "redacted",
)  # fmt: skip
PLACEHOLDERS = (
    *STAND_INS, "insert", "replace", "dummy", "****", "....", "\u2026", "sample", "foobar", "some-", "some_", "not-a-",
    "notreal", "123456789012345", "00000000", "lorem", "testtest", "fake-", "fake_", "fill-in", "put-",
)  # fmt: skip

# Words of our trade that look like passwords.
JARGON = (
    "argon2", "sha1", "sha-1", "sha2", "sha-2", "sha3", "sha5", "md5", "base64", "base32", "utf8", "utf-8",
    "utf16", "oauth2", "http2", "http/", "ed25519", "rs256", "hs256", "es256", "aes", "x509", "x25519", "pbkdf2",
    "pkcs", "ipv4", "ipv6", "k8s", "i18n", "python3", "int32", "int64", "uint", "float", "rfc", "iso-", "cve-",
    "secp256", "p-256", "1password", "gpt-", "claude-", "log4j", "varchar", "localhost", "127.0.0", "0.0.0.",
)  # fmt: skip

# Words between the announcing word and the secret, in several languages.
LINKS = frozenset((
    "is", "was", "=", ":", "-", "--", "->", "=>", "\u2192", "\u2014", "\u2013", "are", "to", "as", "ist", "lautet", "war",
    "es", "est", "era", "\u00e8", "\u00e9", "\u00e4r", "er", "on", "je", "jest", "to:", "este", "\u044d\u0442\u043e",
    "\u0442\u0430\u043a\u043e\u0439", "with", "mit", "avec", "con", "\u662f", "\u4e3a", "\u70ba", "\u306f", "\uc740", "\ub294",
))  # fmt: skip

# Files that hold nothing but credentials: by name, by ending, by a part of their path; ordinary source
# files; endings of templates and public halves.
FILES = frozenset((
    ".env", ".envrc", ".netrc", "_netrc", ".pgpass", "pgpass.conf", ".htpasswd", ".npmrc", ".pypirc", ".yarnrc.yml",
    ".git-credentials", ".vault-token", ".dockercfg", "shadow", "gshadow", "master.key", "wallet.dat", "kubeconfig",
    "secring.gpg", "secrets.yml", "secrets.yaml", "secrets.json", "secrets.toml", "secrets.env", ".secrets",
    "secret.yml", "secret.yaml", "secret.json", "terraform.tfstate", "client_secret.json", "token.json", "htpasswd",
    "service-account.json", "service_account.json", "keyfile.json", ".my.cnf", ".boto", ".s3cfg", "rclone.conf",
))  # fmt: skip
FILE_ENDINGS = (
    ".pem", ".env", ".kdbx", ".kdb", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".p8", ".tfstate", ".tfvars",
    ".ovpn", ".asc", ".agekey", ".keytab", ".gpg", ".tfstate.backup",
)  # fmt: skip
FILE_FOLDERS = (
    "/.docker/config.json", "/.kube/config", "/.aws/config", "/.gnupg/", "/.aws/sso/", "/.config/gcloud/",
    "/.azure/", "/.password-store/", "/run/secrets/", "/etc/wireguard/", "/.config/gh/hosts.yml",
)  # fmt: skip
SOURCES = (
    ".py", ".pyi", ".md", ".rst", ".ts", ".tsx", ".js", ".jsx", ".go", ".rs", ".java", ".kt", ".rb", ".php", ".c",
    ".h", ".cpp", ".cs", ".swift", ".html", ".css", ".vue", ".svelte", ".ex", ".exs", ".scala", ".sh",
)  # fmt: skip
FILE_TEMPLATES = (".example", ".sample", ".template", ".dist", ".tmpl", ".pub", ".defaults")
