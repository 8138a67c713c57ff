/** The ways in which one page is looked at. */
export interface Look {
  readonly device: "desktop" | "phone"
  readonly theme: "light" | "dark"
  readonly language: "en" | "fa"
  readonly scripts: boolean
}

export const desktop: Look = { device: "desktop", theme: "light", language: "en", scripts: true }

/** Each device, theme, language and way of scripting occurs twice; all sixteen would take four times as long. */
export const looks: ReadonlyArray<Look> = [
  desktop,
  { device: "phone", theme: "dark", language: "fa", scripts: true },
  { device: "desktop", theme: "dark", language: "fa", scripts: false },
  { device: "phone", theme: "light", language: "en", scripts: false }
]

export const nameOf = ({ device, theme, language, scripts }: Look): string =>
  [device, theme, language, scripts ? "with scripts" : "without scripts"].join(", ")

export const optionsOf = ({ device, theme, language, scripts }: Look) => ({
  viewport: device === "desktop" ? { width: 1280, height: 800 } : { width: 390, height: 844 },
  isMobile: device === "phone",
  hasTouch: device === "phone",
  colorScheme: theme,
  locale: language === "fa" ? "fa-IR" : "en-GB",
  timezoneId: "Asia/Tehran",
  reducedMotion: "reduce" as const,
  javaScriptEnabled: scripts
})
