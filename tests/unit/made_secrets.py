"""Secrets that nobody ever issued, for tests: drawn from a seed, put together at run time.

No whole token stands in this file: a prefix is written in two pieces, a body is drawn.
"""

import base64
import random
import string

LETTERS = string.ascii_letters
WORD = LETTERS + string.digits
HEX = string.digits + "abcdef"
UPPER = string.ascii_uppercase + string.digits
BASE32 = string.ascii_uppercase + "234567"
LOWER = string.ascii_lowercase + string.digits
URL = WORD + "-_"
B64 = WORD + "+/"

# kind → (pieces: text, or (alphabet, length)), and the text it stands in; {} alone if None.
SPECS = {
    "aws id": (("AK", "IA", (BASE32, 16)), "aws_access_key_id = {}"),
    "aws sts id": (("AS", "IA", (BASE32, 16)), None),
    "aws secret": (((B64, 40),), "aws_secret_access_key = {}"),
    "aws bedrock": (("AB", "SK", (B64, 108), "="), "AWS_BEARER_TOKEN_BEDROCK={}"),
    "aws session": (("IQoJ", "b3JpZ2lu", (B64, 200)), "AWS_SESSION_TOKEN={}"),
    "google api": (("AI", "za", (URL, 35)), "key={}"),
    "google oauth": (("GOC", "SPX-", (URL, 28)), 'client_secret: "{}"'),
    "google refresh": (("1/", "/0", (URL, 90)), '"refresh_token": "{}"'),
    "google access": (("ya", "29.a0", (URL, 140)), "Authorization: Bearer {}"),
    "azure storage": (((B64, 86), "=="), "AccountName=a;AccountKey={};EndpointSuffix=core.example"),
    "azure secret": (((WORD, 3), "8", "Q~", (WORD, 34)), "AZURE_CLIENT_SECRET={}"),
    "azure devops": (((WORD, 76), "AZ", "DO", (WORD, 4)), "AZURE_DEVOPS_EXT_PAT={}"),
    "digitalocean": (("dop", "_v1_", (HEX, 64)), None),
    "cloudflare": (((URL, 40),), "CLOUDFLARE_API_TOKEN={}"),
    "fly": (("fo", "1_", (URL, 43)), None),
    "heroku": (("HR", "KU-AA", (URL, 58)), None),
    "netlify": (("nf", "p_", (WORD, 36)), None),
    "vercel": (((WORD, 24),), "VERCEL_TOKEN={}"),
    "supabase": (("sb", "p_", (HEX, 40)), None),
    "planetscale": (("pscale", "_tkn_", (URL, 43)), None),
    "databricks": (("da", "pi", (HEX, 32)), None),
    "doppler": (("dp.", "pt.", (WORD, 43)), None),
    "vault": (("hv", "s.", (URL, 95)), None),
    "terraform": (((WORD, 14), ".atlas", "v1.", (URL, 64)), None),
    "pulumi": (("pu", "l-", (HEX, 40)), None),
    "render": (("rn", "d_", (WORD, 32)), None),
    "tailscale": (("ts", "key-auth-", (WORD, 32)), None),
    "github": (("gh", "p_", (WORD, 36)), "git push with {}"),
    "github oauth": (("gh", "o_", (WORD, 36)), None),
    "github user": (("gh", "u_", (WORD, 36)), None),
    "github app": (("gh", "s_", (WORD, 36)), None),
    "github fine": (("github", "_pat_", (WORD, 22), "_", (WORD, 59)), None),
    "github in a clone": (("gh", "p_", (WORD, 36)), "git clone https://x-access-token:{}@github.com/a/b.git"),
    "gitlab": (("gl", "pat-", (URL, 20)), None),
    "gitlab runner": (("gl", "rt-", (URL, 20)), None),
    "bitbucket": (("AT", "BB", (WORD, 32)), "bitbucket_app_password={}"),
    "atlassian": (("ATA", "TT3", (URL, 186)), None),
    "npm": (("np", "m_", (WORD, 36)), "//registry.example/:_authToken={}"),
    "pypi": (("py", "pi-AgEIcHlwaS5vcmc", (URL, 120)), "twine upload -u __token__ -p {}"),
    "rubygems": (("ruby", "gems_", (HEX, 48)), None),
    "crates": (("ci", "o", (WORD, 32)), "cargo login {}"),
    "nuget": (("oy", "2", (LOWER, 43)), "nuget push -ApiKey {}"),
    "docker": (("dckr", "_pat_", (URL, 27)), None),
    "circleci": (("CCI", "PAT_", (WORD, 22), "_", (HEX, 40)), None),
    "buildkite": (("bk", "ua_", (HEX, 40)), None),
    "sonar": (("sq", "u_", (HEX, 40)), None),
    "artifactory": (("AK", "Cp", (WORD, 69)), None),
    "anthropic": (("sk-", "ant-api03-", (URL, 93), "AA"), None),
    "anthropic oauth": (("sk-", "ant-oat01-", (URL, 93), "AA"), "CLAUDE_CODE_OAUTH_TOKEN={}"),
    "openai old": (("sk", "-", (WORD, 20), "T3Blbk", "FJ", (WORD, 20)), None),
    "openai project": (("sk-", "proj-", (URL, 74), "T3Blbk", "FJ", (URL, 74)), None),
    "openrouter": (("sk-", "or-v1-", (HEX, 64)), None),
    "deepseek": (("sk", "-", (HEX, 32)), "DEEPSEEK_API_KEY={}"),
    "huggingface": (("h", "f_", (LETTERS, 34)), None),
    "groq": (("gs", "k_", (WORD, 52)), None),
    "perplexity": (("pp", "lx-", (WORD, 48)), None),
    "xai": (("xa", "i-", (WORD, 80)), None),
    "replicate": (("r", "8_", (WORD, 37)), None),
    "langsmith": (("lsv2", "_pt_", (HEX, 32), "_", (HEX, 10)), None),
    "nvidia": (("nv", "api-", (URL, 64)), None),
    "tavily": (("tv", "ly-", (WORD, 32)), None),
    "slack bot": (("xox", "b-", (string.digits, 12), "-", (string.digits, 13), "-", (WORD, 24)), None),
    "slack app": (("xa", "pp-1-A", (UPPER, 10), "-", (string.digits, 13), "-", (HEX, 64)), None),
    "slack webhook": (("https://hooks.", "slack.com/services/T", (UPPER, 9), "/B", (UPPER, 10), "/", (WORD, 24)), None),
    "discord webhook": (("https://discord", ".com/api/webhooks/", (string.digits, 18), "/", (URL, 68)), None),
    "discord bot": (("MT", (WORD, 24), ".G", (WORD, 5), ".", (URL, 38)), "client = Client(token='{}')"),
    "telegram": (((string.digits[1:], 10), ":A", "A", (URL, 33)), "telegram bot token {}"),
    "twilio": (((HEX, 32),), "TWILIO_AUTH_TOKEN={}"),
    "sendgrid": (("S", "G.", (URL, 22), ".", (URL, 43)), None),
    "mailgun": (("ke", "y-", (HEX, 32)), "MAILGUN_API_KEY={}"),
    "mailchimp": (((HEX, 32), "-us", "12"), "mailchimp key {}"),
    "resend": (("r", "e_", (WORD, 8), "_", (WORD, 24)), "RESEND_API_KEY={}"),
    "stripe": (("sk", "_live_", (WORD, 24)), None),
    "stripe test": (("sk", "_test_", (WORD, 24)), None),
    "stripe restricted": (("rk", "_live_", (WORD, 24)), None),
    "stripe webhook": (("wh", "sec_", (WORD, 32)), None),
    "square": (("EA", "AA", (URL, 60)), "SQUARE_ACCESS_TOKEN={}"),
    "shopify": (("sh", "pat_", (HEX, 32)), None),
    "braintree": (("access", "_token$production$", (LOWER, 16), "$", (HEX, 32)), None),
    "datadog": (((HEX, 32),), "DD_API_KEY={}"),
    "newrelic": (("NR", "AK-", (UPPER, 27)), None),
    "grafana": (("gl", "sa_", (WORD, 32), "_", (HEX, 8)), None),
    "notion": (("nt", "n_", (string.digits, 11), (WORD, 35)), None),
    "linear": (("lin", "_api_", (WORD, 40)), None),
    "airtable": (("pa", "t", (WORD, 14), ".", (HEX, 64)), None),
    "figma": (("fig", "d_", (URL, 40)), None),
    "postman": (("PM", "AK-", (HEX, 24), "-", (HEX, 34)), None),
    "dropbox": (("s", "l.", (URL, 135)), None),
    "age": (("AGE-", "SECRET-KEY-1", (UPPER, 58)), None),
    "fernet": (((URL, 43), "="), "Fernet(b'{}')"),
    "ethereum": (("0x", (HEX, 64)), "ETH_PRIVATE_KEY={}"),
    "otp": (((BASE32, 32),), "otpauth://totp/A:me@example.com?secret={}&issuer=A"),
    "wireguard": (((B64, 43), "="), "[Interface]\nPrivateKey = {}\nAddress = 10.0.0.2/32"),
    "url postgres": (((WORD, 16),), "DATABASE_URL=postgresql://app:{}@db.internal:5432/app"),
    "url redis": (((WORD, 18),), "redis://:{}@cache:6379/0"),
    "bearer": (((WORD, 40),), "curl -H 'Authorization: Bearer {}' https://api.example.com"),
    "curl user": (((WORD, 14),), "curl -u admin:{} https://api.example.com/x"),
    "flag": (((WORD, 14),), "mysql -h db --password={} -u root app"),
    "flag apart": (((WORD, 24),), "deploy --api-token {} --region eu"),
    "mysql": (((WORD, 14),), "mysql -h db -u root -p{} app"),
    "sshpass": (((WORD, 14),), "sshpass -p {} ssh root@10.0.0.5"),
    "netrc": (((WORD, 16),), "machine api.example.com login me password {}"),
    "pgpass": (((WORD, 16),), "db.internal:5432:app:app:{}"),
    "htpasswd": (("$ap", "r1$", (WORD, 8), "$", (WORD, 22)), "admin:{}"),
    "shadow": (("$", "6$", (WORD, 16), "$", (WORD + "./", 86)), "root:{}:19000:0:99999:7:::"),
    "kubeconfig": (((URL, 60),), "users:\n- name: admin\n  user:\n    token: {}\n"),
    "dotenv": (((WORD, 16),), "DB_PASSWORD={}"),
    "yaml": (((WORD, 14),), "  password: {}"),
    "json": (((WORD, 14),), '{{"username": "me", "password": "{}"}}'),
    "python": (((WORD, 20),), "api_key = '{}'"),
    "typed default": (((WORD, 20),), 'password: str = "{}"'),
    "xml": (((WORD, 16),), "<server><password>{}</password></server>"),
    "call": (((WORD, 24),), 'request.header("X-Api-Key", "{}")'),
    "django": (((LOWER + "!@#$%^&*(-_=+)", 50),), "SECRET_KEY = 'django-insecure-{}'"),
    "rails": (((HEX, 32),), "RAILS_MASTER_KEY={}"),
    "cookie": (((URL, 48),), "Cookie: sessionid={}; theme=dark"),
    "query": (((WORD, 32),), "GET /v1/x?api_key={}&q=1"),
    "told en": (("Tr0ub", (WORD, 9)), "by the way the staging password is {} , don't share it"),
    "told en quoted": (("correct-horse-", (string.ascii_lowercase, 6)), 'log in as admin with password "{}"'),
    "told en token": (((WORD, 28),), "use this token: {} for the demo"),
    "told de": (((WORD, 14),), "das Passwort für die Datenbank lautet {}"),
    "told fr": (((WORD, 14),), "le mot de passe est {}"),
    "told es": (((WORD, 14),), "la contraseña es {}"),
    "told ru": (((WORD, 14),), "пароль от базы: {}"),
    "told zh": (((WORD, 14),), "数据库密码是{}"),
    "told ja": (((WORD, 14),), "パスワードは {} です"),
    "told ko": (((WORD, 14),), "비밀번호: {}"),
    "told pl": (((WORD, 14),), "hasło do bazy to {}"),
}  # fmt: skip

CONTEXTS = {
    "plain": "{}",
    "full stop": ("{}.", ""),
    "comma": ("{},", ""),
    "bracket": ("{})", ""),
    "ampersand": ("{}&", ""),
    "colon": ("{}:", ""),
    "chinese": ("{}\u4e16\u754c", ""),
    "in a sentence": "I ran `{}` and it failed",
    "markdown": "- **note**: {}\n- next",
    "log line": "2026-10-02T10:00:00Z INFO app[12]: {} status=200",
    "numbered": "     1\u2192{}",
    "ansi": "\x1b[31m{}\x1b[0m",
    "json": "json",
    "json twice": "json2",
}


class Maker:
    """Draws secrets of each kind from one seed."""

    def __init__(self, seed: int = 1) -> None:
        self.random = random.Random(seed)

    def body(self, alphabet: str, size: int) -> str:
        """*size* letters with at least one digit where the alphabet has digits."""
        while True:
            drawn = "".join(self.random.choice(alphabet) for _ in range(size))
            if size < 8 or not set(alphabet) & set(string.digits) or set(drawn) & set(string.digits):
                return drawn

    def secret(self, kind: str) -> str:
        pieces, _ = SPECS[kind]
        return "".join(piece if isinstance(piece, str) else self.body(*piece) for piece in pieces)

    def text(self, kind: str) -> tuple[str, str]:
        """A secret of *kind*, and a text that holds it."""
        secret = self.secret(kind)
        return secret, (SPECS[kind][1] or "the value is {} ok").format(secret)

    def key_block(self, label: str = "RSA PRIVATE KEY", lines: int = 12, *, end: bool = True) -> str:
        fence = "-" * 5
        body = "\n".join(self.body(B64, 64) for _ in range(lines))
        return f"{fence}BEGIN {label}{fence}\n{body}" + (f"\n{fence}END {label}{fence}" if end else "")

    def web_token(self) -> str:
        def part(text: str) -> str:
            return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

        return ".".join(
            (
                part('{"alg":"HS256","typ":"JWT"}'),
                part('{"sub":"12345","iat":1700000000}'),
                self.body(URL, 43),
            )
        )
