import { Layer, Option, Struct } from "effect"
import { PublicUrl } from "../../http/RouteTable.ts"
import { TrustedProxies } from "../../http/server/ClientAddress.ts"
import { ConsoleUrl } from "../../services/alert/AlertDeliveries.ts"
import { GuardCeiling } from "../../services/guard/Guard.ts"
import { defaultSettings, Settings } from "../../services/Settings.ts"
import { OperatorsNeedFactor } from "../../services/user/SecondFactors.ts"
import { SessionIssuers } from "../../services/user/Sessions.ts"
import { MailerSmtp } from "../alert/MailerSmtp.ts"
import type { Configuration } from "../config/Configuration.ts"
import { endpointSettings, sessionIssuers, smtpOf } from "../config/EndpointSettings.ts"
import { OneShotDigest, PooledRandom } from "../crypto/Crypto.ts"
import { AllowsPrivateAddresses } from "../network/CustomerUrls.ts"
import { isLoopbackHost } from "../network/PrivateAddresses.ts"
import { isEmbedded } from "../postgres/StoreLocation.ts"
import { StoreLive } from "../postgres/Store.ts"
import { ProviderEndpoints } from "../provider/ProviderEndpoints.ts"
import { SimulatorOff, SimulatorSql } from "../provider/SimulatorSql.ts"

export const Crypto = Layer.merge(OneShotDigest, PooledRandom)

const mailerLayer = (configuration: Configuration) => {
  const smtp = smtpOf(configuration)
  return smtp === null ? Layer.empty : MailerSmtp(smtp)
}

/** The numbers that use cases need; they do not see the rest of the configuration, such as secrets. */
export const settingsLayer = (configuration: Configuration) =>
  Layer.mergeAll(
    Layer.succeed(Settings, Struct.pick(configuration, Struct.keys(defaultSettings))),
    Layer.succeed(AllowsPrivateAddresses, configuration.allowsPrivateAddresses),
    Layer.succeed(GuardCeiling, configuration.guard),
    Layer.succeed(TrustedProxies, configuration.trustedProxies),
    Layer.succeed(PublicUrl, configuration.publicUrl),
    Layer.succeed(OperatorsNeedFactor, !isLoopbackHost(configuration.host)),
    Layer.succeed(ProviderEndpoints, Struct.pick(configuration, Struct.keys(endpointSettings))),
    Layer.succeed(SessionIssuers, sessionIssuers(configuration)),
    Layer.succeed(ConsoleUrl, configuration.publicUrl),
    mailerLayer(configuration)
  )

/** Anyone who reaches the service can read the simulator's messages: it is on by default only if nobody else can. */
export const hasSimulator = (configuration: Configuration): boolean =>
  Option.getOrElse(
    configuration.simulator,
    () => isEmbedded(configuration) && isLoopbackHost(configuration.host)
  )

/** The simulator's phones; without the simulator there are none. */
export const simulatorLayer = (configuration: Configuration) =>
  hasSimulator(configuration) ? SimulatorSql : SimulatorOff

/** The store and the settings that everything else needs. */
export const Infrastructure = (configuration: Configuration) =>
  Layer.provideMerge(
    simulatorLayer(configuration),
    Layer.mergeAll(StoreLive(configuration), settingsLayer(configuration))
  )
