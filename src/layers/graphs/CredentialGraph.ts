import { Layer } from "effect"
import { AuthHandlers, WellKnownHandlers } from "../../http/manage/AuthApi.ts"
import { MeHandlers } from "../../http/manage/MeApi.ts"
import { TokensHandlers } from "../../http/manage/TokensApi.ts"
import { UsersHandlers } from "../../http/manage/UsersApi.ts"
import { PasswordsArgon2 } from "../crypto/PasswordsArgon2.ts"
import { TokensSql } from "../key/TokensSql.ts"
import { ManagementWritesLive } from "./LiveStores.ts"
import { ProviderConnections, ProviderHttp } from "../provider/ProviderHttp.ts"
import { ConsoleSessionsSql } from "../user/ConsoleSessionsSql.ts"
import { PendingSignInsSql } from "../user/PendingSignInsSql.ts"
import { KnownBrowsersMac } from "../user/KnownBrowsersMac.ts"
import { SessionsJose } from "../user/SessionsJose.ts"
import { PasskeysWebAuthn } from "../user/PasskeysWebAuthn.ts"
import { FactorOffersSealed, SecondFactorsSql } from "../user/SecondFactorsSql.ts"
import { AppCodeLimitsSql, SignInLimitsSql } from "../user/SignInLimitsSql.ts"
import { SigningKeysSql } from "../user/SigningKeysSql.ts"
import { UserSessionsSql } from "../user/UserSessionsSql.ts"
import { UsersSql } from "../user/UsersSql.ts"
import { ConsoleSignIns } from "../../services/user/ConsoleSignIns.ts"
import { FactorChecks } from "../../services/user/FactorChecks.ts"
import { SignIns } from "../../services/user/SignIns.ts"

const Http = Layer.provide(ProviderHttp.layer, ProviderConnections.layer)

/** JWTs of Peyk and of another issuer. */
export const SessionsLive = Layer.provide(SessionsJose, [SigningKeysSql, Http])

/** Second factors, and how they are checked. */
export const SecondFactorsLive = Layer.mergeAll(
  SecondFactorsSql,
  FactorOffersSealed,
  PasskeysWebAuthn,
  AppCodeLimitsSql
)

export const FactorChecksLive = Layer.provide(FactorChecks.layer, SecondFactorsLive)

export const SignInsLive = Layer.provide(SignIns.layer, [
  FactorChecksLive,
  ManagementWritesLive,
  PasswordsArgon2,
  SignInLimitsSql,
  SigningKeysSql,
  UserSessionsSql
])

/** People in the console. */
export const ConsoleSignInsLive = Layer.provide(ConsoleSignIns.layer, [
  SignInsLive,
  ManagementWritesLive,
  KnownBrowsersMac,
  PendingSignInsSql,
  FactorChecksLive,
  SecondFactorsLive
]).pipe(Layer.provideMerge(ConsoleSessionsSql))

/** The credentials of management: tokens, users, and how users sign in. */
export const CredentialHandlers = Layer.mergeAll(
  Layer.provide(TokensHandlers, TokensSql),
  Layer.provide(UsersHandlers, [UsersSql, PasswordsArgon2, SecondFactorsLive, ConsoleSessionsSql]),
  MeHandlers,
  Layer.provide(AuthHandlers, SignInsLive),
  Layer.provide(WellKnownHandlers, SigningKeysSql)
)

/** The stores of credentials for management: tokens, users, and the keys of their sessions. */
export const CredentialStores = Layer.mergeAll(TokensSql, UsersSql, PasswordsArgon2, SigningKeysSql)
