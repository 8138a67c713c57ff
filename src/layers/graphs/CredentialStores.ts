import { Layer } from "effect"
import { PasswordsArgon2 } from "../crypto/PasswordsArgon2.ts"
import { TokensSql } from "../key/TokensSql.ts"
import { SigningKeysSql } from "../user/SigningKeysSql.ts"
import { UsersSql } from "../user/UsersSql.ts"

/** The stores of credentials for management: tokens, users, and the keys of their sessions. */
export const CredentialStores = Layer.mergeAll(TokensSql, UsersSql, PasswordsArgon2, SigningKeysSql)
