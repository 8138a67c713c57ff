/**
 * The simulator page: what each simulated phone "received". One self-contained document, so that it works offline
 * and under a strict CSP. Message texts are untrusted: the script only ever inserts them with `textContent`.
 * The inline script must not contain backticks or dollar-brace, because it lives in this template string.
 */
export const simulatorPage: string = String.raw`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>Peyk simulator</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='9' fill='%230b7a75'/%3E%3Cpath d='M25 7 7 14.5l6.5 3 3 6.5z' fill='%23fff'/%3E%3C/svg%3E">
<style>
:root {
  color-scheme: light dark;
  --bg: light-dark(#eef1f4, #0e1116); --surface: light-dark(#fff, #171b22); --raised: light-dark(#f6f8fa, #1e242d);
  --line: light-dark(#dfe4ea, #2a313c); --text: light-dark(#17202b, #e8ecf2); --muted: light-dark(#566171, #9aa6b6);
  --accent: light-dark(#0b7a75, #4fd1c5); --on-accent: light-dark(#fff, #06201e); --soft: light-dark(#e2f3f1, #12322f);
  --wall: light-dark(#e4ecec, #10171b); --bubble: light-dark(#fff, #1d242c); --bezel: light-dark(#1b2129, #05070a);
  --bad: light-dark(#b42318, #fda29b); --shadow: light-dark(rgb(23 32 43 / .14), rgb(0 0 0 / .5));
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Vazirmatn, "Noto Sans Arabic", Tahoma, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
[data-ch] { --c: light-dark(#475569, #cbd5e1); }
[data-ch=eitaa] { --c: light-dark(#a84a08, #fdba74); } [data-ch=bale] { --c: light-dark(#067050, #6ee7b7); } [data-ch=soroushplus] { --c: light-dark(#4338ca, #b0b4ff); }
[data-ch=rubika] { --c: light-dark(#9d1d8f, #f0abfc); } [data-ch=telegram] { --c: light-dark(#0a6aa6, #7dd3fc); } *, *::before, *::after { box-sizing: border-box; } [hidden] { display: none !important; } html, body { height: 100%; }
body { margin: 0; display: flex; flex-direction: column; background: var(--bg); color: var(--text); font: 15px/1.5 var(--sans); -webkit-font-smoothing: antialiased; }
h1, h2, p, ul, ol, dl, dd, pre { margin: 0; padding: 0; } ul, ol { list-style: none; } button, input { font: inherit; color: inherit; } button { cursor: pointer; }
svg { display: block; flex: none; } :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; } .sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 12px; top: -60px; z-index: 9; padding: 8px 14px; border-radius: 10px; background: var(--accent); color: var(--on-accent); } .skip:focus { top: 12px; }
.top { display: flex; align-items: center; gap: 12px; padding: 12px 20px; background: var(--surface); border-bottom: 1px solid var(--line); }
.mark { width: 34px; height: 34px; border-radius: 10px; background: #0b7a75; color: #fff; display: grid; place-items: center; }
.top h1 { font-size: 17px; line-height: 1.2; letter-spacing: -.01em; } .top h1 span { font-weight: 450; color: var(--muted); } .top .tag { font-size: 13px; color: var(--muted); }
.status { margin-left: auto; display: flex; align-items: center; gap: 8px; padding: 5px 12px; border: 1px solid var(--line); border-radius: 99px; font-size: 13px; color: var(--muted); white-space: nowrap; }
.status i { width: 8px; height: 8px; border-radius: 50%; background: currentColor; }
.status[data-state=live] i { background: light-dark(#12a150, #3ddc84); animation: pulse 2.4s ease-in-out infinite; } .status[data-state=error] { color: var(--bad); } main { flex: 1; min-height: 0; }
.app { height: 100%; display: grid; grid-template-columns: minmax(270px, 320px) 1fr; } .side { display: flex; flex-direction: column; min-height: 0; min-width: 0; background: var(--surface); border-right: 1px solid var(--line); }
.find { position: relative; padding: 14px 14px 10px; } .find svg { position: absolute; left: 26px; top: 25px; color: var(--muted); pointer-events: none; }
.find input { width: 100%; height: 40px; padding: 0 12px 0 38px; border: 1px solid var(--line); border-radius: 12px; background: var(--raised); }
.find input::placeholder { color: var(--muted); opacity: 1; } .side ul { flex: 0 1 auto; overflow: auto; padding: 2px 8px 14px; } .side ul:empty { display: none; } .side .none { padding: 8px 20px 20px; color: var(--muted); font-size: 14px; }
.row { width: 100%; display: grid; grid-template-columns: 44px 1fr auto; column-gap: 12px; align-items: center; padding: 10px; border: 0; border-radius: 14px; background: none; text-align: left; transition: background .15s; }
.row:hover { background: var(--raised); } .row[aria-current=true] { background: var(--soft); } .row:focus-visible { outline-offset: -2px; }
.avatar { grid-row: span 2; width: 44px; height: 44px; border-radius: 50%; display: grid; place-items: center; font-weight: 650; font-size: 15px; font-variant-numeric: tabular-nums; color: var(--c); background: color-mix(in oklab, var(--c) 15%, var(--surface)); }
.row .num { font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; } .row time { font-size: 12px; color: var(--muted); }
.row .last { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-size: 13.5px; color: var(--muted); text-align: left; }
.row .dot { justify-self: end; min-width: 18px; height: 18px; padding: 0 5px; border-radius: 9px; background: var(--accent); color: var(--on-accent); font-size: 11px; font-weight: 700; line-height: 18px; text-align: center; }
.row.unread .last { color: var(--text); } .stage { min-height: 0; min-width: 0; display: flex; justify-content: center; align-items: center; gap: clamp(28px, 4vw, 64px); padding: 24px; overflow: auto; }
.phone { position: relative; flex: none; width: 392px; max-width: 100%; height: min(800px, 100%); min-height: 440px; padding: 11px; border-radius: 54px; background: var(--bezel); box-shadow: 0 0 0 1.5px light-dark(#3b4552, #38424f), 0 28px 60px -18px var(--shadow), 0 8px 20px -8px var(--shadow); }
.screen { position: relative; height: 100%; display: flex; flex-direction: column; overflow: hidden; border-radius: 43px; background: var(--wall); }
.bar { display: flex; justify-content: space-between; align-items: center; padding: 12px 26px 4px 30px; background: var(--surface); font-size: 14px; font-weight: 650; font-variant-numeric: tabular-nums; }
.bar::before { content: ""; position: absolute; left: 50%; top: 11px; width: 96px; height: 26px; margin-left: -48px; border-radius: 14px; background: var(--bezel); }
.who { display: flex; align-items: center; gap: 12px; padding: 10px 18px 12px; background: var(--surface); border-bottom: 1px solid var(--line); } .who .avatar { width: 40px; height: 40px; }
.who h2 { font-size: 16px; line-height: 1.3; font-variant-numeric: tabular-nums; } .who p { font-size: 13px; color: var(--muted); }
.chat { flex: 1; min-height: 0; overflow: auto; padding: 6px 14px 30px; overscroll-behavior: contain; scrollbar-width: thin; scrollbar-color: light-dark(#b5c2c2, #3a4652) transparent; } .chat:focus-visible { outline-offset: -3px; }
.home { position: absolute; left: 50%; bottom: 8px; width: 128px; height: 5px; margin-left: -64px; border-radius: 3px; background: light-dark(#17202b, #e8ecf2); opacity: .75; pointer-events: none; }
.sep { width: fit-content; margin: 16px auto 10px; padding: 2px 12px; border-radius: 99px; background: color-mix(in srgb, var(--surface) 72%, transparent); font-size: 12px; font-weight: 550; color: light-dark(#475260, #a9b4c2); }
.msg { width: fit-content; min-width: 74%; max-width: 94%; margin-bottom: 7px; padding: 10px 12px 8px; border-radius: 20px 20px 20px 6px; background: var(--bubble); box-shadow: 0 1px 2px light-dark(rgb(23 32 43 / .1), rgb(0 0 0 / .4)); }
.msg.new { animation: arrive .38s cubic-bezier(.2, .8, .3, 1); }
.badge { display: inline-flex; align-items: center; gap: 6px; max-width: 100%; padding: 1px 9px 1px 8px; border-radius: 99px; font-size: 12px; font-weight: 620; line-height: 20px; color: var(--c); background: color-mix(in oklab, var(--c) 12%, var(--surface)); overflow-wrap: anywhere; }
.badge::before { content: ""; width: 6px; height: 6px; border-radius: 50%; background: currentColor; }
.body { margin: 7px 2px 0; white-space: pre-wrap; overflow-wrap: anywhere; unicode-bidi: plaintext; line-height: 1.75; font-family: Vazirmatn, Vazir, var(--sans); } .body:dir(rtl) { text-align: right; }
.code { width: 100%; display: flex; align-items: center; justify-content: space-between; gap: 12px; margin-top: 9px; padding: 7px 12px 7px 14px; border: 1px solid color-mix(in oklab, var(--accent) 26%, transparent); border-radius: 13px; background: var(--soft); color: var(--accent); transition: border-color .15s; }
.code:hover { border-color: var(--accent); } .code b { font: 650 27px/1.3 var(--mono); letter-spacing: .12em; color: var(--text); overflow-wrap: anywhere; text-align: left; }
.copy { display: inline-flex; align-items: center; gap: 6px; font-size: 13px; font-weight: 600; white-space: nowrap; } .ok .i-copy, :not(.ok) > .copy > .i-ok { display: none; }
.foot { margin: 6px 2px 0; font-size: 12px; color: var(--muted); text-align: right; font-variant-numeric: tabular-nums; } .quiet { height: 100%; display: grid; place-content: center; text-align: center; color: var(--muted); }
.jump { position: absolute; left: 50%; bottom: 24px; transform: translateX(-50%); padding: 7px 16px; border: 0; border-radius: 99px; background: var(--accent); color: var(--on-accent); font-size: 13px; font-weight: 600; box-shadow: 0 6px 18px var(--shadow); }
.info { flex: 0 1 372px; min-width: 0; display: grid; gap: 16px; } .card { min-width: 0; padding: 18px 20px; border: 1px solid var(--line); border-radius: 18px; background: var(--surface); }
.card h2, .hero h2 { letter-spacing: -.01em; } .card h2 { font-size: 15px; margin-bottom: 10px; } .card dl { display: grid; grid-template-columns: auto 1fr; gap: 7px 18px; font-size: 14px; }
.card dt { color: var(--muted); } .card dd { font-variant-numeric: tabular-nums; text-align: right; } .card .chips { display: flex; flex-wrap: wrap; justify-content: end; gap: 5px; }
.curl { position: relative; border: 1px solid light-dark(#131a22, #2a313c); border-radius: 14px; background: light-dark(#131a22, #0c1015); color: #dbe4ee; text-align: left; }
.curl pre { padding: 15px 16px 50px; overflow: auto; font: 12.5px/1.75 var(--mono); border-radius: 14px; }
.curl button { position: absolute; right: 10px; bottom: 10px; padding: 5px 12px; border: 1px solid #3a4756; border-radius: 9px; background: #1f2833; color: #e8eef5; }
.curl button:hover { background: #2a3542; } .curl :focus-visible { outline-color: #4fd1c5; }
.hero { min-height: 100%; display: grid; place-content: center; justify-items: center; grid-template-columns: minmax(0, 640px); padding: 32px 20px; text-align: center; }
.hero h2 { margin: 22px 0 8px; font-size: clamp(23px, 4vw, 29px); line-height: 1.25; text-wrap: balance; } .hero p { max-width: 50ch; color: var(--muted); text-wrap: pretty; }
.hero .curl { width: 100%; margin: 26px 0 20px; box-shadow: 0 20px 44px -20px var(--shadow); } .hero .curl pre { font-size: 13.5px; padding: 18px 20px 58px; }
@media (min-width: 640px) { .hero .curl pre { padding: 20px 22px; } .hero .curl button { top: 12px; right: 12px; bottom: auto; } }
.info pre { white-space: pre-wrap; overflow-wrap: anywhere; } .hero .chips { display: flex; flex-wrap: wrap; justify-content: center; gap: 7px; } .hero .fly { animation: float 5s ease-in-out infinite; }
@keyframes arrive { from { opacity: 0; transform: translateY(12px) scale(.97); } }
@keyframes pulse { 50% { opacity: .35; } }
@keyframes float { 50% { transform: translate(3px, -5px); } }
@media (prefers-reduced-motion: reduce) { *, *::before, *::after { animation: none !important; transition: none !important; } }
@media (max-width: 1140px) { .info { display: none; } }
@media (max-width: 760px) {
  .top { padding: 10px 14px; } .top .tag { display: none; } .app { grid-template: auto minmax(0, 1fr) / minmax(0, 1fr); } .side { border-right: 0; border-bottom: 1px solid var(--line); } .find { padding: 10px 12px 8px; }
  .find svg { left: 24px; top: 21px; } .find input { font-size: 16px; } .side ul { display: flex; gap: 6px; padding: 0 12px 10px; scrollbar-width: none; } .side li { flex: 0 0 236px; }
  .row { border: 1px solid var(--line); padding: 8px 10px; } .row[aria-current=true] { border-color: color-mix(in oklab, var(--accent) 40%, transparent); } .stage { padding: 0; align-items: stretch; }
  .phone { width: 100%; height: 100%; min-height: 320px; padding: 0; border-radius: 0; box-shadow: none; background: none; } .screen { border-radius: 0; } .bar, .home { display: none; } .msg { min-width: min(270px, 94%); }
}
@media (forced-colors: active) { .row[aria-current=true], .row .dot, .badge { outline: 1px solid; } }
</style>
</head>
<body>
<a class="skip" href="#chat">Skip to messages</a>
<header class="top">
  <span class="mark" aria-hidden="true"><svg width="20" height="20" viewBox="0 0 24 24" fill="currentColor"><path d="M21.5 3 2.5 10.8l7 3.1zM21.5 3l-7.7 18.5-3.1-6.6z"/></svg></span>
  <div><h1>Peyk <span>simulator</span></h1><p class="tag">Messages caught here never reach a real phone</p></div>
  <p class="status" id="status" role="status" data-state="wait"><i aria-hidden="true"></i><span>Connecting</span></p>
</header>
<main>
  <noscript><p class="hero">This page needs JavaScript to show messages.</p></noscript>
  <section class="hero" id="hero" aria-labelledby="hero-title" hidden>
    <svg width="148" height="132" viewBox="0 0 148 132" fill="none" aria-hidden="true">
      <ellipse cx="74" cy="124" rx="52" ry="6" fill="var(--line)"/>
      <rect x="42" y="10" width="64" height="112" rx="15" fill="var(--bezel)" style="stroke: light-dark(transparent, #3b4552)"/><rect x="46" y="14" width="56" height="104" rx="11" fill="var(--surface)"/>
      <rect x="65" y="18" width="18" height="5" rx="2.5" fill="var(--bezel)"/>
      <rect x="52" y="84" width="34" height="12" rx="6" fill="var(--line)"/><rect x="52" y="100" width="24" height="10" rx="5" fill="var(--line)"/>
      <g class="fly"><path d="M8 106c26 8 54-4 67-34" stroke="var(--accent)" stroke-width="2" stroke-linecap="round" stroke-dasharray="1 7"/>
      <path d="M122 26 50 55l26 12z" fill="var(--accent)"/><path d="M122 26 92 96 80 70z" fill="var(--accent)" opacity=".72"/></g>
    </svg>
    <h2 id="hero-title">Waiting for the first message</h2>
    <p>Send a one-time code to any Iranian mobile number. It shows up here within two seconds, exactly as the phone would have received it.</p>
    <div class="curl"><pre tabindex="0" aria-label="Example request"></pre><button type="button" aria-label="Copy example request"></button></div>
    <div class="chips" id="all-channels"></div>
  </section>
  <div class="app" id="app" hidden>
    <nav class="side" aria-label="Phones">
      <div class="find">
        <svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><circle cx="11" cy="11" r="7"/><path d="m20 20-4-4"/></svg>
        <input id="filter" type="search" inputmode="tel" autocomplete="off" spellcheck="false" placeholder="Filter by phone" aria-label="Filter by phone">
      </div>
      <ul id="list"></ul>
      <p class="none" id="none" role="status" hidden></p>
    </nav>
    <section class="stage" aria-labelledby="title">
      <div class="phone"><div class="screen">
        <div class="bar" aria-hidden="true"><span id="clock"></span><svg width="62" height="14" viewBox="0 0 62 14" fill="currentColor"><rect y="8" width="3" height="5" rx="1"/><rect x="5" y="5.500" width="3" height="7.500" rx="1"/><rect x="10" y="3" width="3" height="10" rx="1"/><rect x="15" y="0.500" width="3" height="12.500" rx="1"/><rect x="33.700" y="1.700" width="23.600" height="10.600" rx="3.200" fill="none" stroke="currentColor" stroke-width="1.300" opacity=".6"/><rect x="35.500" y="3.500" width="17" height="7" rx="1.800"/><rect x="58.700" y="5" width="2" height="4" rx="1" opacity=".6"/></svg></div>
        <div class="who"><span class="avatar" id="face" data-ch="" aria-hidden="true"></span><div><h2 id="title" dir="ltr"></h2><p id="count"></p></div></div>
        <div class="chat" id="chat" tabindex="0" role="region" aria-label="Messages"></div>
        <button class="jump" id="jump" type="button" hidden>New message ↓</button>
        <span class="home" aria-hidden="true"></span>
      </div></div>
      <aside class="info" aria-label="About this phone">
        <div class="card"><h2>This phone</h2><dl>
          <dt>Messages</dt><dd id="d-count"></dd><dt>Last received</dt><dd id="d-last"></dd><dt>Channels</dt><dd class="chips" id="d-ch"></dd>
        </dl></div>
        <div class="card"><h2>Send it another code</h2>
          <div class="curl"><pre tabindex="0" aria-label="Example request for this phone"></pre><button type="button" aria-label="Copy example request for this phone"></button></div>
        </div>
      </aside>
    </section>
  </div>
</main>
<p class="sr" id="say" aria-live="polite"></p>
<template id="t-row"><li><button class="row" type="button"><span class="avatar" aria-hidden="true"></span><span class="num" dir="ltr"></span><time></time><span class="last" dir="auto"></span><span class="dot" role="img"></span></button></li></template>
<template id="t-msg"><li><article class="msg"><span class="badge"></span><p class="body" dir="auto"></p><button class="code" type="button"><b dir="ltr"></b></button><p class="foot"><time></time></p></article></li></template>
<template id="t-copy"><span class="copy"><svg class="i-copy" width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" aria-hidden="true"><rect x="9" y="9" width="12" height="12" rx="3"/><path d="M5.500 15A2.500 2.500 0 0 1 3 12.500v-7A2.500 2.500 0 0 1 5.500 3h7A2.500 2.500 0 0 1 15 5.500"/></svg><svg class="i-ok" width="16" height="16" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.500" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="m5 12.500 4.500 4.500L19 7.500"/></svg><span class="label">Copy</span></span></template>
<script>
(() => {
  'use strict'
  const SOURCE = '/simulator/messages', LIMIT = 200, EVERY = 2000, GAP = 10 * 60000, STORE = 'peyk.simulator.seen'
  const NAMES = { eitaa: 'Eitaa', bale: 'Bale', soroushplus: 'Soroush+', rubika: 'Rubika', telegram: 'Telegram', sms: 'SMS' }
  const $ = (id) => document.getElementById(id), make = (tag) => document.createElement(tag)
  const clone = (id) => $(id).content.firstElementChild.cloneNode(true)
  const put = (el, text) => { if (el.textContent !== text) el.textContent = text }
  const paint = (el, channel) => { if (el.dataset.ch !== channel) el.dataset.ch = channel }
  let all = [], history = [], chosen = null, known = null, seen = null, shown = [], shownFor = null
  let busy = false, again = false, timer = 0

  // Time, always in Tehran
  const zone = (locale, options) => new Intl.DateTimeFormat(locale, Object.assign({ timeZone: 'Asia/Tehran' }, options))
  const fTime = zone('en-GB', { timeStyle: 'medium' }), fHour = zone('en-GB', { timeStyle: 'short' }), fKey = zone('en-CA', { dateStyle: 'short' })
  const fDay = zone('en-GB', { weekday: 'long', day: 'numeric', month: 'long' })
  const fFull = zone('en-GB', { dateStyle: 'full', timeStyle: 'medium' }), fJalali = zone('fa-IR-u-ca-persian', { dateStyle: 'long' })
  function day(t) {
    const key = fKey.format(t), now = Date.now()
    return key === fKey.format(now) ? 'Today' : key === fKey.format(now - 864e5) ? 'Yesterday' : fDay.format(t)
  }
  function ago(t, short) {
    const s = Math.max(0, Math.round((Date.now() - t) / 1000))
    if (s < 10) return short ? 'now' : 'just now'
    const n = s < 60 ? [s, 's', 's'] : s < 3600 ? [s / 60, 'm', ' min'] : s < 86400 ? [s / 3600, 'h', ' h'] : [s / 86400, 'd', ' d']
    return Math.floor(n[0]) + (short ? n[1] : n[2] + ' ago')
  }
  function tick(el) {
    const t = Number(el.dataset.at), mode = el.dataset.mode
    put(el, mode === 'short' ? ago(t, true) : (mode === 'day' ? day(t) + ' ' : '') + fTime.format(t) + ' · ' + ago(t))
  }
  function stamp(el, t, mode) {
    if (el.dataset.at !== String(t)) {
      el.dateTime = new Date(t).toISOString()
      el.title = fFull.format(t) + ' (Tehran) · ' + fJalali.format(t)
      Object.assign(el.dataset, { at: t, mode })
    }
    tick(el)
  }

  // Phones and channels
  const pretty = (phone) => phone.replace(/^\+98(\d{3})(\d{3})(\d{4})$/, '+98 $1 $2 $3')
  const digits = (s) => s.replace(/[۰-۹٠-٩]/g, (c) => c.charCodeAt(0) & 15).replace(/\D/g, '')
  const whole = (s) => { const m = /^(?:0098|98|0)?(9\d{9})$/.exec(digits(s)); return m ? '+98' + m[1] : null }
  const fromHash = () => whole(location.hash.replace(/%2B/gi, ''))
  function badge(el, channel, extra) {
    el.className = 'badge'
    paint(el, channel)
    el.textContent = (Object.hasOwn(NAMES, channel) ? NAMES[channel] : channel) + (extra || '')
    return el
  }

  // Copying: the clipboard API is missing on plain http, hence the fallback
  function viaSelection(text) {
    const area = make('textarea'), focus = document.activeElement
    area.value = text
    area.className = 'sr'
    document.body.append(area)
    area.select()
    const ok = document.execCommand('copy')
    area.remove()
    focus?.focus({ preventScroll: true })
    return ok
  }
  function copyable(button, what, text) {
    button.append(clone('t-copy'))
    const label = button.querySelector('.label')
    let back = 0
    const show = (ok, word, spoken) => { button.classList.toggle('ok', ok); label.textContent = word; $('say').textContent = spoken }
    button.addEventListener('click', async () => {
      const ok = await Promise.resolve().then(() => navigator.clipboard.writeText(text())).then(() => true, () => viaSelection(text()))
      show(ok, ok ? 'Copied' : 'Failed', ok ? what + ' copied' : 'Copying failed')
      clearTimeout(back)
      back = setTimeout(() => show(false, 'Copy', ''), 1800)
    })
  }
  // Only a plain number goes into a command that people paste into a shell
  const curl = (phone) => ['curl -X POST ' + location.origin + '/v1/otp/send', '-H "X-API-Key: $PEYK_API_KEY"', '-H "Idempotency-Key: $(uuidgen)"', '-H "Content-Type: application/json"',
    '-d \'{"phone":"' + (/^\+\d+$/.test(phone) ? phone : '09121234567') + '",\n       "channels":["bale","eitaa"]}\''].join(' \\\n  ')
  document.querySelectorAll('.curl').forEach((box) => {
    const pre = box.querySelector('pre')
    pre.textContent = curl('')
    copyable(box.querySelector('button'), 'Request', () => pre.textContent)
  })
  $('all-channels').append(...Object.keys(NAMES).map((c) => badge(make('span'), c)))

  // Unread marks, kept across reloads where storage is allowed
  try { seen = JSON.parse(localStorage.getItem(STORE)) } catch { seen = null }
  function markRead(phone, t) {
    if (t <= (seen[phone] || 0)) return
    seen[phone] = t
    try { localStorage.setItem(STORE, JSON.stringify(seen)) } catch { return }
  }

  // Data: oldest first from here on; equal messages get a running number
  async function get(url) {
    const answer = await fetch(url, { cache: 'no-store', headers: { accept: 'application/json' }, signal: AbortSignal.timeout(10000) })
    if (!answer.ok) throw new Error('HTTP ' + answer.status)
    const body = await answer.json(), times = new Map()
    return body.data.toReversed().map((m) => {
      const t = Date.parse(m.at) || 0, key = JSON.stringify([t, m.phone, m.channel, m.text]), n = times.get(key) || 0
      times.set(key, n + 1)
      return { key: key + n, t, phone: String(m.phone), channel: String(m.channel), text: String(m.text), code: m.code ? String(m.code) : '' }
    })
  }
  function status(state, text) { $('status').dataset.state = state; put($('status').lastElementChild, text) }
  async function poll() {
    clearTimeout(timer)
    if (busy) { again = true; return }
    if (document.hidden) { status('paused', 'Paused'); return }
    busy = true
    try {
      const list = await get(SOURCE), phone = chosen
      // A busy server cuts the list at LIMIT: then ask for the open phone's own messages too
      const own = phone && list.length >= LIMIT ? await get(SOURCE + '?phone=' + encodeURIComponent(phone)) : []
      all = list
      if (phone === chosen) history = own
      status('live', 'Live')
      render()
    } catch (error) {
      if (!known) $('hero').hidden = false
      status('error', /^HTTP/.test(error.message) ? 'Server answered ' + error.message : 'Server unreachable, retrying')
    }
    busy = false
    timer = setTimeout(poll, again ? 0 : EVERY)
    again = false
  }

  // Drawing
  function render() {
    const fresh = known ? all.filter((m) => !known.has(m.key)) : [], last = fresh.at(-1)
    const union = history.length > 0 ? all.filter((m) => m.phone !== chosen).concat(history) : all
    const phones = Map.groupBy(union, (m) => m.phone), order = [...phones.values()].sort((a, b) => b.at(-1).t - a.at(-1).t)
    known = new Set(all.map((m) => m.key))
    $('hero').hidden = order.length > 0
    $('app').hidden = order.length === 0
    if (seen === null || typeof seen !== 'object') { seen = {}; order.forEach((list) => markRead(list[0].phone, list.at(-1).t)) }
    if (order.length === 0) { chosen = fromHash(); return }
    chosen ??= order[0][0].phone
    const mine = phones.get(chosen) || []
    if (mine.length > 0 && !document.hidden) markRead(chosen, mine.at(-1).t)
    drawList(order)
    drawChat(mine, new Set(fresh.map((m) => m.key)))
    put($('clock'), fHour.format(Date.now()))
    if (last) $('say').textContent = 'New message for ' + pretty(last.phone) + (last.code ? ', code ' + last.code : '')
  }
  function drawList(order) {
    const ul = $('list'), want = digits($('filter').value), focus = document.activeElement, rows = new Map([...ul.children].map((li) => [li.dataset.phone, li]))
    let waiting = 0, hits = 0
    for (const list of order) {
      const last = list.at(-1), phone = last.phone, bare = digits(phone), unread = list.filter((m) => m.t > (seen[phone] || 0)).length
      if (unread > 0) waiting += 1
      if (!(bare + ' ' + bare.replace(/^98/, '0') + ' 00' + bare).includes(want)) continue
      const li = rows.get(phone) || clone('t-row'), row = li.firstElementChild, [face, number, time, preview, dot] = row.children
      if (!rows.delete(phone)) { li.dataset.phone = phone; row.addEventListener('click', () => choose(phone)) }
      row.setAttribute('aria-current', String(phone === chosen))
      row.classList.toggle('unread', unread > 0)
      paint(face, last.channel)
      put(face, phone.slice(-2))
      put(number, pretty(phone))
      stamp(time, last.t, 'short')
      put(preview, last.text.split('\n').find((line) => line.trim() !== '') || '')
      dot.hidden = unread === 0
      put(dot, unread > 99 ? '99+' : String(unread))
      dot.setAttribute('aria-label', unread + ' unread')
      if (ul.children[hits] !== li) ul.insertBefore(li, ul.children[hits] || null)
      hits += 1
    }
    rows.forEach((li) => li.remove())
    if (focus !== document.activeElement && focus.isConnected) focus.focus({ preventScroll: true })
    const full = whole($('filter').value)
    $('none').hidden = hits > 0
    put($('none'), hits > 0 ? '' : full ? 'Nothing recent for ' + pretty(full) + '. Press Enter to look it up.' : 'No phone matches this filter.')
    document.title = (waiting > 0 ? '(' + waiting + ') ' : '') + 'Peyk simulator'
  }
  function drawChat(mine, fresh) {
    const chat = $('chat'), last = mine.at(-1), same = shownFor === chosen, count = mine.length + (mine.length === 1 ? ' message' : ' messages')
    const near = !same || chat.scrollHeight - chat.scrollTop - chat.clientHeight < 80
    put($('title'), pretty(chosen))
    put($('count'), count)
    put($('face'), chosen.slice(-2))
    paint($('face'), last ? last.channel : '')
    if (!same || shown.length === 0 || shown.some((m, i) => mine[i]?.key !== m.key)) {
      chat.replaceChildren()
      shown = []
      if (!last) chat.append(Object.assign(make('p'), { className: 'quiet', textContent: 'No messages for this phone' }))
    }
    if (!same || mine.length !== shown.length) details(mine, last)
    for (const m of mine.slice(shown.length)) {
      const before = shown.at(-1)
      if (!before || m.t - before.t > GAP || day(m.t) !== day(before.t)) chat.append(Object.assign(make('h3'), { className: 'sep', textContent: day(m.t) + ', ' + fHour.format(m.t) }), make('ol'))
      shown.push(m)
      chat.lastElementChild.append(bubble(m, fresh.has(m.key)))
    }
    shownFor = chosen
    if (near) chat.scrollTop = chat.scrollHeight
    else if (mine.some((m) => fresh.has(m.key))) $('jump').hidden = false
  }
  function bubble(m, isNew) {
    const li = clone('t-msg'), code = li.querySelector('.code')
    li.firstElementChild.classList.toggle('new', isNew)
    badge(li.querySelector('.badge'), m.channel)
    li.querySelector('.body').textContent = m.text
    stamp(li.querySelector('time'), m.t, 'full')
    code.firstElementChild.textContent = m.code
    code.setAttribute('aria-label', 'Copy code ' + m.code)
    if (m.code) copyable(code, 'Code ' + m.code, () => m.code)
    else code.remove()
    return li
  }
  function details(mine, last) {
    const time = make('time')
    if (last) stamp(time, last.t, 'day')
    else time.textContent = 'never'
    $('d-count').textContent = String(mine.length)
    $('d-last').replaceChildren(time)
    $('d-ch').replaceChildren(...[...Map.groupBy(mine, (m) => m.channel)].map(([channel, list]) => badge(make('span'), channel, ' ' + list.length)))
    document.querySelector('.info pre').textContent = curl(chosen)
  }

  // Events
  function choose(phone) {
    if (phone !== chosen) { chosen = phone; history = []; $('jump').hidden = true }
    window.history.replaceState(null, '', '#' + encodeURIComponent(phone))
    if (known) render()
    poll()
  }
  $('filter').addEventListener('input', () => { if (known) render() })
  $('filter').addEventListener('keydown', (e) => {
    const first = $('list').firstElementChild
    if (e.key === 'ArrowDown' && first) { e.preventDefault(); first.firstElementChild.focus() }
    const phone = first ? first.dataset.phone : whole(e.target.value)
    if (e.key === 'Enter' && phone) choose(phone)
  })
  $('list').addEventListener('keydown', (e) => {
    const li = e.target.closest('li'), to = /^Arrow(Down|Right)$/.test(e.key) ? li?.nextElementSibling : /^Arrow(Up|Left)$/.test(e.key) ? li?.previousElementSibling : null
    if (to) { e.preventDefault(); to.firstElementChild.focus() }
  })
  $('chat').addEventListener('scroll', (e) => { if (e.target.scrollHeight - e.target.scrollTop - e.target.clientHeight < 80) $('jump').hidden = true })
  $('jump').addEventListener('click', () => { $('chat').scrollTop = $('chat').scrollHeight; $('chat').focus({ preventScroll: true }) })
  document.addEventListener('visibilitychange', poll)
  window.addEventListener('hashchange', () => { const phone = fromHash(); if (phone) choose(phone) })
  setInterval(() => { if (!document.hidden) document.querySelectorAll('time[data-at]').forEach(tick) }, 5000)
  chosen = fromHash()
  poll()
})()
</script>
</body>
</html>
`
