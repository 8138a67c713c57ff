import { Layer } from "effect"
import { TokensSql } from "../resources/access/TokensSql.ts"
import { UsersSql } from "../resources/access/UsersSql.ts"
import { PasswordsArgon2 } from "../crypto/PasswordsArgon2.ts"
import { SigningKeysSql } from "./SigningKeysSql.ts"

/** The stores of credentials for management: tokens, users, and the keys of their sessions. */
export const CredentialStores = Layer.mergeAll(TokensSql, UsersSql, PasswordsArgon2, SigningKeysSql)
