import { Layer } from "effect"
import { AuthHandlers, WellKnownHandlers } from "../../http/manage/access/AuthHandlers.ts"
import { TokensHandlers } from "../../http/manage/access/TokensHandlers.ts"
import { MeHandlers } from "../../http/manage/access/MeHandlers.ts"
import { UsersHandlers } from "../../http/manage/access/UsersHandlers.ts"
import { ConsoleSignIns } from "../../services/access/ConsoleSignIns.ts"
import { SignIns } from "../../services/access/SignIns.ts"
import { ConsoleSessionsSql } from "../access/ConsoleSessionsSql.ts"
import { KnownBrowsersMac } from "../access/KnownBrowsersMac.ts"
import { ProviderHttp } from "../providers/ProviderHttp.ts"
import { ProviderConnections } from "../providers/ProviderConnections.ts"
import { TokensSql } from "../resources/access/TokensSql.ts"
import { UsersSql } from "../resources/access/UsersSql.ts"
import { ManagementWritesSql } from "../resources/ManagementWritesSql.ts"
import { PasswordsArgon2 } from "../crypto/PasswordsArgon2.ts"
import { SessionsJose } from "../access/SessionsJose.ts"
import { SignInLimitsSql } from "../access/SignInLimitsSql.ts"
import { SigningKeysSql } from "../access/SigningKeysSql.ts"
import { UserSessionsSql } from "../access/UserSessionsSql.ts"

const Http = Layer.provide(ProviderHttp.layer, ProviderConnections.layer)

/** JWTs of Peyk and of another issuer. */
export const SessionsLive = Layer.provide(SessionsJose, [SigningKeysSql, Http])

export const SignInsLive = Layer.provide(SignIns.layer, [
  ManagementWritesSql,
  PasswordsArgon2,
  SignInLimitsSql,
  SigningKeysSql,
  UserSessionsSql
])

/** People in the console. */
export const ConsoleSignInsLive = Layer.provide(ConsoleSignIns.layer, [
  SignInsLive,
  ManagementWritesSql,
  KnownBrowsersMac
]).pipe(Layer.provideMerge(ConsoleSessionsSql))

/** The credentials of management: tokens, users, and how users sign in. */
export const CredentialHandlers = Layer.mergeAll(
  Layer.provide(TokensHandlers, TokensSql),
  Layer.provide(UsersHandlers, [UsersSql, PasswordsArgon2]),
  MeHandlers,
  Layer.provide(AuthHandlers, SignInsLive),
  Layer.provide(WellKnownHandlers, SigningKeysSql)
)
