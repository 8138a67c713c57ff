/** `<peyk-login endpoint="/login">`: from a phone number to a verified code. */
import { phoneOf, shownDigits } from "./Digits.ts"
import { addStyle } from "./Dom.ts"
import { type Call, callsOf, type Reply } from "./Server.ts"
import { afterLook, afterSend, afterTime, afterVerify, kept, restored, START, type State } from "./State.ts"
import { STYLE } from "./Style.ts"
import { makeView, type View } from "./View.ts"
import { isPersian, type Words, wordsOf } from "./Words.ts"

/** Null where the code of an SMS cannot be read. */
const smsCode = (signal: AbortSignal): Promise<string | null> => {
  if (!("OTPCredential" in globalThis)) return Promise.resolve(null)
  const options = { otp: { transport: ["sms"] }, signal } as CredentialRequestOptions
  return navigator.credentials.get(options).then(
    (credential) => (credential as { readonly code?: string } | null)?.code ?? null,
    () => null
  )
}

/** On a server there are no elements; the module can be loaded there all the same. */
const Base = (globalThis.HTMLElement ?? Object) as typeof HTMLElement

/** Seconds after a send or a change of channel until the page looks at what became of it. */
const LOOK_SECONDS = 4

export class PeykLogin extends Base {
  #state: State = START
  #view: View | undefined
  #words: Words = wordsOf("fa")
  #call: Call = callsOf("")
  #ticking: ReturnType<typeof setInterval> | undefined
  #looking: ReturnType<typeof setTimeout> | undefined
  #reading: AbortController | undefined

  connectedCallback(): void {
    addStyle(STYLE)
    this.#view ??= this.#start()
    this.append(this.#view.root)
    this.#ticking = setInterval(() => this.#set(afterTime(this.#state, this.#words, Date.now())), 1000)
    this.#set(this.#state)
    if (this.#state.step === "code") this.#opened()
    else if (this.hasAttribute("autofocus")) this.#view.focus("phone")
  }

  disconnectedCallback(): void {
    clearInterval(this.#ticking)
    clearTimeout(this.#looking)
    this.#reading?.abort()
  }

  #start(): View {
    const language = this.closest("[lang]")?.getAttribute("lang") ?? "fa"
    const persian = isPersian(language)
    this.#words = wordsOf(language)
    const endpoint = this.getAttribute("endpoint") ?? "/login"
    this.#call = callsOf(endpoint)
    this.#state = restored(this.#storage()?.getItem(this.#key) ?? null, Date.now())
    const view = makeView(this.#words, persian, {
      send: () => void this.#send(),
      verify: () => void this.#verify(),
      other: (channel) => void this.#other(channel),
      change: () => this.#change()
    })
    view.root.lang = persian ? "fa" : "en"
    view.root.dir = this.getAttribute("dir") ?? (persian ? "rtl" : "ltr")
    view.phone.value = shownDigits(this.#state.phone, persian)
    return view
  }

  get #key(): string {
    return `peyk-login ${this.getAttribute("endpoint") ?? "/login"}`
  }

  /** A browser may forbid it. */
  #storage(): Storage | null {
    try {
      return sessionStorage
    } catch {
      return null
    }
  }

  #set(state: State): void {
    const before = this.#state
    this.#state = state
    this.#view?.show(state, Date.now())
    if (state === before) return
    const text = kept(state)
    if (text === null) this.#storage()?.removeItem(this.#key)
    else this.#storage()?.setItem(this.#key, text)
    if (state.step !== before.step) {
      if (state.step !== "code") this.#closed()
      this.#view?.focus(state.step)
    }
  }

  /** False: a listener prevented what would follow. */
  #tell(name: string, detail: object): boolean {
    return this.dispatchEvent(
      new CustomEvent(`peyk-login:${name}`, { detail, bubbles: true, cancelable: true })
    )
  }

  /** One call at a time: a double click sends one code. */
  async #ask(state: State, ...call: Parameters<Call>): Promise<Reply | null> {
    if (this.#state.busy) return null
    this.#set({ ...state, busy: true })
    const reply = await this.#call(...call)
    if (reply.error !== undefined) this.#tell("error", { error: reply.error })
    return reply
  }

  async #send(): Promise<void> {
    const state = this.#state
    const phone = state.step === "phone" ? phoneOf(this.#view?.phone.value ?? "") : state.phone
    if (phone === null) {
      this.#set({ ...state, error: this.#words.badPhone })
      return this.#view?.focus("phone")
    }
    const reply = await this.#ask({ ...state, phone }, "send", { phone })
    if (reply === null) return
    this.#clearCode()
    this.#set(afterSend(this.#state, reply, this.#words, Date.now()))
    if (this.#state.step !== "code" || this.#state.error !== "") return
    this.#tell("sent", { channel: this.#state.channel })
    this.#opened()
  }

  async #verify(): Promise<void> {
    const code = this.#view?.code.value ?? ""
    const { codeLength, busy, step } = this.#state
    if (busy || step !== "code") return
    if (code.length < codeLength) return this.#view?.focus("code")
    const reply = await this.#ask({ ...this.#state, notice: "" }, "verify", { code })
    if (reply === null) return
    if (reply.error === undefined) this.#clearCode()
    this.#set(afterVerify(this.#state, reply, this.#words))
    if (this.#state.step === "done") return this.#finish(reply)
    if (reply.reason !== undefined) this.#tell("refused", { reason: reply.reason })
    this.#view?.focus(this.#state.step)
  }

  #finish(reply: Reply): void {
    const goesOn = this.#tell("verified", reply)
    const to = this.getAttribute("redirect")
    if (!goesOn || to === null) return
    const url = new URL(to, location.href)
    if (url.origin === location.origin) location.assign(url)
  }

  async #other(channel?: string): Promise<void> {
    const reply = await this.#ask({ ...this.#state, error: "", notice: "" }, "next", { channel })
    if (reply === null) return
    this.#looked(reply, channel)
    this.#view?.focus(this.#state.step)
  }

  #change(): void {
    if (this.#state.busy) return
    this.#clearCode()
    this.#set({ ...START, phone: this.#state.phone })
  }

  /** The channel is another one after a while, if nobody enters the code. */
  #looked(reply: Reply, asked?: string): void {
    const before = this.#state.channel
    this.#set(afterLook(this.#state, reply, this.#words, Date.now(), asked))
    if (this.#state.step !== "code") return
    if (this.#state.channel !== before) this.#tell("channel", { channel: this.#state.channel })
    if (typeof reply.next_in === "number") this.#lookIn(reply.next_in + LOOK_SECONDS)
  }

  #lookIn(seconds: number): void {
    clearTimeout(this.#looking)
    this.#looking = setTimeout(async () => {
      if (this.#state.busy) return this.#lookIn(LOOK_SECONDS)
      const reply = await this.#call("status")
      // A server without this route, or without an answer now, is no reason to alarm anybody.
      if (this.#state.step === "code" && reply.error === undefined && reply.status !== undefined)
        this.#looked(reply)
    }, seconds * 1000)
  }

  #opened(): void {
    this.#view?.focus("code")
    this.#lookIn(LOOK_SECONDS)
    this.#reading?.abort()
    this.#reading = new AbortController()
    void smsCode(this.#reading.signal).then((code) => {
      if (code === null || this.#view === undefined) return
      this.#view.code.value = code
      this.#view.code.dispatchEvent(new Event("input"))
    })
  }

  #closed(): void {
    clearTimeout(this.#looking)
    this.#reading?.abort()
  }

  #clearCode(): void {
    if (this.#view !== undefined) this.#view.code.value = ""
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "peyk-login": PeykLogin
  }
}

if (globalThis.customElements?.get("peyk-login") === undefined) {
  globalThis.customElements?.define("peyk-login", PeykLogin)
}
