import { Config } from "effect"
import { defaultBodies } from "../../http/BodyLimits.ts"
import { browserSettings, endpointSettings, mailSettings, sessionSettings } from "./EndpointSettings.ts"
import { databaseSettings } from "./DatabaseSettings.ts"
import { limitSettings, retentionSettings, sendSettings } from "./SendSettings.ts"
import { processSettings } from "./ProcessSettings.ts"
import { flag, integer, optionalFlag, optionalSecret, type Setting, text } from "./Setting.ts"

/** Every setting. A test compares `docs/configuration.md` with this. */
export const settings = {
  host: text("PEYK_HOST", "127.0.0.1", "The address to listen on."),
  port: integer(
    "PEYK_PORT",
    8080,
    { minimum: 0, maximum: 65_535 },
    "The port to listen on; 0 picks a free one."
  ),
  ...databaseSettings,
  dataDirectory: text(
    "PEYK_DATA_DIR",
    "./data",
    "The directory of the embedded store, its secret and the demo keys."
  ),
  secret: optionalSecret(
    "PEYK_SECRET",
    "created when embedded",
    "Master secret: 32 random bytes in base64. Required with DATABASE_URL."
  ),
  simulator: optionalFlag(
    "PEYK_SIMULATOR",
    "on when embedded on loopback",
    "Enables simulated accounts and the page /simulator."
  ),
  trustedProxies: integer(
    "PEYK_TRUSTED_PROXIES",
    0,
    { minimum: 0, maximum: 10 },
    "The number of proxies in front that append to X-Forwarded-For."
  ),
  logLevel: {
    name: "PEYK_LOG_LEVEL",
    byDefault: "Info",
    description: "Debug, Info, Warn, Error or None.",
    config: Config.withDefault(Config.LogLevel("PEYK_LOG_LEVEL"), "Info" as const)
  },
  logFormat: {
    name: "PEYK_LOG_FORMAT",
    byDefault: "auto",
    description: "json, pretty, or auto: pretty on a terminal, else json.",
    config: Config.withDefault(
      Config.Literals(["auto", "json", "pretty"], "PEYK_LOG_FORMAT"),
      "auto" as const
    )
  },
  metricsToken: optionalSecret(
    "PEYK_METRICS_TOKEN",
    "",
    "The bearer token for /metrics, which is 401 without it if PEYK_HOST is not loopback."
  ),
  ...sendSettings,
  ...processSettings,
  ...limitSettings,
  ...retentionSettings,
  ...endpointSettings,
  ...mailSettings,
  ...sessionSettings,
  ...browserSettings,
  allowsPrivateAddresses: flag(
    "PEYK_ALLOW_PRIVATE_ADDRESSES",
    false,
    "Allow http and private addresses for webhooks and bridges: development."
  ),
  maxBodyBytes: integer(
    "PEYK_MAX_BODY_BYTES",
    defaultBodies.maxBodyBytes,
    { minimum: 1024, maximum: 10_485_760 },
    "The largest request body."
  )
} as const

type ConfigOf<S> = S extends Setting<infer A> ? A : never

export type Configuration = { readonly [K in keyof typeof settings]: ConfigOf<(typeof settings)[K]> }

const configs = Object.fromEntries(Object.entries(settings).map(([key, { config }]) => [key, config]))

/** All settings, read and checked. */
export const configuration: Config.Config<Configuration> = Config.map(
  Config.all(configs),
  (all) => all as Configuration
)
