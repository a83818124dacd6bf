/** The types of auth methods. */
import { invalid } from '../../core/base/errors.ts'
import type { CryptoBackend } from '../../core/crypto/backend.ts'
import { hypotheticalAccount, hypotheticalClaims } from './hypothetical-identity.ts'
import type { LoginIdentity, LoginWork, Selectable } from './identity.ts'
import { type JwtConfig, readJwtConfig } from './jwt-config.ts'
import { claimVariable, jwtIdentity } from './jwt-identity.ts'
import { type KubernetesConfig, readKubernetesConfig } from './kubernetes-config.ts'
import { accountPath, kubernetesIdentity, SERVICE_ACCOUNT_MEMBERS } from './kubernetes-identity.ts'

export type {} from './refusals.ts'

/**
 * The stored `Config` of a method. It may contain a secret, the token that authorizes token reviews, which every caller that may read the
 * method can see.
 */
export type AuthMethodConfig = JwtConfig | KubernetesConfig

export interface AuthMethodType<C extends AuthMethodConfig = AuthMethodConfig> {
  readonly name: string
  /** Other names that requests may use for the type. */
  readonly aliases: readonly string[]
  /** @throws KernelError 400 for a configuration with which no login could succeed */
  readConfig(config: unknown, crypto: CryptoBackend): C
  showConfig(config: C): Readonly<Record<string, unknown>>
  selectable(config: C): Selectable
  /** The names of the variables that templates of binding rules may use. */
  variables(config: C): readonly string[]
  /** Verifies a token. @throws KernelError 403 if the token is refused, whatever the reason; 429 after too many refused tokens */
  identityOf(config: C, bearer: string, work: LoginWork): LoginIdentity
  /** Reads a hypothetical identity for evaluating binding rules, in the form of the selectable fields. @throws KernelError 400 */
  hypotheticalIdentity(config: C, identity: unknown): LoginIdentity
}

const methodType = <C extends AuthMethodConfig>(row: Omit<AuthMethodType<C>, 'showConfig'>): AuthMethodType<C> => ({
  ...row,
  showConfig: (config) => ({ ...config }),
})

const ACCOUNT_PATHS = /* @__PURE__ */ SERVICE_ACCOUNT_MEMBERS.map(accountPath)
const targetsOf = (mapping: Readonly<Record<string, string>> = {}): readonly string[] => Object.values(mapping)

const kubernetes = /* @__PURE__ */ methodType<KubernetesConfig>({
  name: 'kubernetes',
  aliases: ['orchestrator'],
  readConfig: readKubernetesConfig,
  selectable: () => ({ fixed: ACCOUNT_PATHS }),
  variables: () => ACCOUNT_PATHS,
  identityOf: kubernetesIdentity,
  hypotheticalIdentity: (_, identity) => hypotheticalAccount(identity),
})

const jwt = /* @__PURE__ */ methodType<JwtConfig>({
  name: 'jwt',
  aliases: [],
  readConfig: readJwtConfig,
  selectable: ({ ClaimMappings, ListClaimMappings }) => ({ value: targetsOf(ClaimMappings), list: targetsOf(ListClaimMappings) }),
  variables: ({ ClaimMappings }) => targetsOf(ClaimMappings).map(claimVariable),
  identityOf: jwtIdentity,
  hypotheticalIdentity: hypotheticalClaims,
})

/** The casts are safe, because the configuration of a method is only passed to its own type. */
export const AUTH_METHOD_TYPES: readonly AuthMethodType[] = [kubernetes as AuthMethodType, jwt as AuthMethodType]

/** @throws KernelError 400 for an unknown type */
export function authMethodTypeOf(name: string): AuthMethodType {
  const found = AUTH_METHOD_TYPES.find((type) => type.name === name || type.aliases.includes(name))
  if (found) return found
  if (name === 'oidc') throw invalid('Type: oidc needs a browser and is not supported; use jwt')
  throw invalid(`Type: must be one of ${AUTH_METHOD_TYPES.flatMap((type) => [type.name, ...type.aliases]).join(', ')}`)
}
