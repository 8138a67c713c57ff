/** Each colour can be set from outside: `--peyk-login-accent`, and so on. */
const COLOURS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  accent: ["#0b6b62", "#2dbfae"],
  "accent-text": ["#ffffff", "#04211e"],
  surface: ["#ffffff", "#16191c"],
  field: ["#ffffff", "#0f1214"],
  text: ["#17191c", "#eceeef"],
  muted: ["#5a6068", "#a3abb2"],
  border: ["#8b9199", "#5b636b"],
  line: ["#e3e5e8", "#2a2f34"],
  danger: ["#b3261e", "#ff9d92"],
  success: ["#17663a", "#6fdc9b"]
}

const colours = (index: 0 | 1): string =>
  Object.entries(COLOURS)
    .map(([name, pair]) => `--pk-${name}:var(--peyk-login-${name},${pair[index]});`)
    .join("")

/** Short, as every visitor loads it: `&` is a class of ours inside the element, `$text` a variable. */
const RULES = `
peyk-login{${colours(0)}--pk-radius:var(--peyk-login-radius,12px);display:block;box-sizing:border-box;width:100%;max-width:26rem;margin-inline:auto;padding:2rem;border:1px solid $line;border-radius:calc($radius + 6px);background:$surface;color:$text;font-family:var(--peyk-login-font,inherit);font-size:1rem;line-height:1.7;color-scheme:light}
@media (prefers-color-scheme:dark){peyk-login:not([theme=light]){${colours(1)}color-scheme:dark}}
peyk-login[theme=dark]{${colours(1)}color-scheme:dark}
peyk-login :where(.pk,.pk *){box-sizing:border-box;margin:0;font:inherit;color:inherit;letter-spacing:normal}
peyk-login .pk [hidden]{display:none!important}
&form{display:grid;gap:1.25rem}
&heading{font-size:1.375rem;font-weight:700;line-height:1.4}
&intro{margin-top:.375rem;color:$muted;font-size:.9375rem}
&number{display:flex;flex-wrap:wrap;align-items:baseline;gap:.125rem .75rem;margin-top:.125rem}
&number bdi{font-weight:600;color:$text}
&label{display:block;margin-bottom:.375rem;font-size:.875rem;font-weight:600}
&input{display:block;width:100%;height:3.25rem;padding-inline:1rem;border:1px solid $border;border-radius:$radius;background:$field;font-size:1.125rem;appearance:none;outline:0}
&phone{letter-spacing:.04em;text-align:left}
&input:focus,&code:focus-within .pk-slot.pk-now{border-color:$accent;box-shadow:0 0 0 1px $accent}
&input[aria-invalid=true],&code.pk-bad .pk-slot.pk-slot{border-color:$danger;--pk-accent:$danger}
&code{position:relative;direction:ltr}
&slots{display:grid;grid-template-columns:repeat(var(--pk-digits,6),minmax(0,1fr));gap:clamp(4px,2%,10px)}
&slot{display:grid;place-items:center;height:3.5rem;border:1px solid $border;border-radius:$radius;background:$field;font-size:1.5rem;font-weight:600;line-height:1}
&code:focus-within .pk-now:empty::after{content:"";width:2px;height:1.5rem;border-radius:1px;background:$accent}
&hidden{position:absolute;inset:0;width:100%;height:100%;padding:0;border:0;background:transparent;outline:0;color:transparent;caret-color:transparent;font-size:1rem;text-align:center;appearance:none}
&hidden::selection{background:transparent}
&hidden:autofill{-webkit-text-fill-color:transparent;transition:background-color 99999s}
&error,&notice{font-size:.9375rem;line-height:1.6}
&error{margin-top:.5rem;color:$danger}
&notice{color:$success}
&error:empty,&notice:empty{display:none}
&button{position:relative;width:100%;min-height:3.25rem;padding:.5rem 1rem;border:0;border-radius:$radius;background:$accent;color:$accent-text;font-weight:600;cursor:pointer;appearance:none}
&button:hover{filter:brightness(1.06)}
peyk-login :is(.pk-button,.pk-link):focus-visible{outline:2px solid $accent;outline-offset:2px}
peyk-login [aria-busy=true] .pk-button{color:transparent;cursor:progress}
peyk-login [aria-busy=true] .pk-button::after{content:"";position:absolute;inset:0;margin:auto;width:1.25rem;height:1.25rem;border:2px solid $accent-text;border-top-color:transparent;border-radius:50%;animation:pk-turn .8s linear infinite}
&links{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.25rem 1rem;min-height:2rem}
&link{padding:.125rem 0;border:0;background:none;color:$accent;font-size:.9375rem;font-weight:600;cursor:pointer;appearance:none}
&link:hover{text-decoration:underline;text-underline-offset:.3em}
&wait{padding:.125rem 0;color:$muted;font-size:.9375rem;font-variant-numeric:tabular-nums}
&done{display:grid;justify-items:center;gap:1rem;padding-block:1rem;text-align:center}
&tick{display:grid;place-items:center;width:3.5rem;height:3.5rem;border-radius:50%;background:$success}
&tick::after{content:"";width:.8rem;height:1.5rem;margin-bottom:.3rem;border:solid $surface;border-width:0 3px 3px 0;rotate:45deg}
@keyframes pk-turn{to{rotate:1turn}}
@keyframes pk-shake{25%{translate:-6px}75%{translate:6px}}
@media (prefers-reduced-motion:no-preference){&bad .pk-slots{animation:pk-shake .12s 2}}
@media (forced-colors:active){&now{outline:3px solid Highlight}}
@media (max-width:30rem){peyk-login{padding:1.5rem 1.25rem;border:0;border-radius:0;background:none}}
`

export const STYLE = RULES.replaceAll("&", "peyk-login .pk-").replaceAll(/\$([a-z-]+)/g, "var(--pk-$1)")
