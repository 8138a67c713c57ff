import { Layer } from "effect"
import { AuthHandlers, WellKnownHandlers } from "../../http/manage/AuthHandlers.ts"
import { TokensHandlers } from "../../http/manage/TokensHandlers.ts"
import { MeHandlers, UsersHandlers } from "../../http/manage/UsersHandlers.ts"
import { SignIns } from "../../services/manage/SignIns.ts"
import { ProviderHttp } from "../providers/ProviderHttp.ts"
import { ProviderHttpClient } from "../providers/ProviderHttpClient.ts"
import { ManagedTokensSql } from "./ManagedTokensSql.ts"
import { ManagedUsersSql } from "./ManagedUsersSql.ts"
import { ManagementWritesSql } from "./ManagementWritesSql.ts"
import { PasswordsArgon2 } from "./PasswordsArgon2.ts"
import { SessionsJose } from "./SessionsJose.ts"
import { SignInLimitsSql } from "./SignInLimitsSql.ts"
import { SigningKeysSql } from "./SigningKeysSql.ts"
import { UserSessionsSql } from "./UserSessionsSql.ts"

const Http = Layer.provide(ProviderHttp.layer, ProviderHttpClient.layer)

/** JWTs, our own and another issuer's. */
export const SessionsLive = Layer.provide(SessionsJose, [SigningKeysSql, Http])

export const SignInsLive = Layer.provide(SignIns.layer, [
  ManagementWritesSql,
  PasswordsArgon2,
  SignInLimitsSql,
  SigningKeysSql,
  UserSessionsSql
])

/** Who may manage: tokens, users, and how they sign in. */
export const CredentialHandlers = Layer.mergeAll(
  Layer.provide(TokensHandlers, ManagedTokensSql),
  Layer.provide(UsersHandlers, [ManagedUsersSql, PasswordsArgon2]),
  MeHandlers,
  Layer.provide(AuthHandlers, SignInsLive),
  Layer.provide(WellKnownHandlers, SigningKeysSql)
)
