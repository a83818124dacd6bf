import { isInNetworks } from '../../core/access/cidr.ts'
import type { Allowance } from '../../core/base/allowance.ts'
import { invalid, notConfigured, notFound } from '../../core/base/errors.ts'
import { fitsAny } from '../../core/base/glob.ts'
import type { Steps } from '../../core/base/steps.ts'
import { AUTH, type Auth, authWire } from '../../core/contract/auth-reply.ts'
import type { Environment } from '../../core/contract/environment.ts'
import { refuseLogin, reportLoginRefusals } from '../../core/contract/login-refusal.ts'
import type { RenewalTerms } from '../../core/contract/login-terms.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { f } from '../../core/field/fields.ts'
import {
  audiencesOf,
  checkAudience,
  checkIssuer,
  checkUid,
  type ServiceAccount,
  serviceAccountOf,
} from '../../core/jwt/claims.ts'
import { type Jwt, parseJwt } from '../../core/jwt/jwt.ts'
import { checkTimes } from '../../core/jwt/times.ts'
import { verifySteps, WRONG_SIGNATURES } from '../../core/jwt/verify.ts'
import { type ConfigRecord, findConfig, verificationKeysOf } from './config-record.ts'
import { checkReview } from './review.ts'
import { findRole, type OrchestratorRole, roleId } from './role-record.ts'

/**
 * @throws KernelError 400 if `role` or `jwt` is missing, if the role does not exist, or if the auth method is not configured.
 * @throws KernelError 403 if the login is refused for any other reason. The message is always the same; the reason is in the audit log and
 *   in the event `login.refused`.
 * @throws KernelError 429 if too many recent tokens had a wrong signature. Try again after a second.
 */
export const login = operation({
  kind: 'write',
  verb: 'POST',
  path: '/login',
  unauthenticated: true,
  summary: 'Logs a service account in with its token, and returns a kernel token with the policies and limits of the role.',
  fields: {
    role: f.text('The name of the role.'),
    jwt: f.text('The token of the service account.'),
  },
  returns: AUTH,
  wire: authWire,
  run: (tx, { role, jwt }) => {
    if (role === '') throw invalid('role: missing role')
    if (jwt === '') throw invalid('jwt: missing jwt')
    const found = findRole(tx, role)
    if (!found) throw notFound(`role: invalid role name ${JSON.stringify(role.slice(0, MAX_SHOWN_CHARACTERS))}`, 400)
    return reportLoginRefusals(role, () => logIn(tx, role, found, jwt))
  },
})

const MAX_SHOWN_CHARACTERS = 100

function logIn(tx: Tx, role: string, found: OrchestratorRole, text: string): Auth {
  const { token_bound_cidrs } = found.token
  if (token_bound_cidrs.length > 0 && !isInNetworks(tx.call.remoteAddress, token_bound_cidrs))
    throw refuseLogin('address-not-bound')
  const config = findConfig(tx)
  if (!config) throw notConfigured('this auth method is not configured yet: config is missing')
  // Check the claims first, so that a login with invalid claims costs neither a signature verification nor a review.
  const jwt = parseJwt(text)
  const account = validateClaims(tx, config, found, jwt)
  const allowance = tx.allowance(WRONG_SIGNATURES.perSecond, WRONG_SIGNATURES.most)
  // The signature verification is the main cost of a login, so a rerun of the transaction uses the first result.
  tx.steps('signature', () => checkSignature(tx.env, config, jwt, allowance), 'attempt')
  const audiences = found.audience === '' ? audiencesOf(jwt.claims) : [found.audience]
  checkReview(tx, config, { text: jwt.text, audiences, account })
  const { name, namespace, uid, secretName } = account
  const aliasMetadata = {
    service_account_uid: uid,
    service_account_name: name,
    service_account_namespace: namespace,
    service_account_secret_name: secretName,
  }
  return tx.login({
    settings: found.token,
    alias: found.alias_name_source === 'serviceaccount_uid' ? uid : `${namespace}/${name}`,
    aliasMetadata,
    metadata: { ...aliasMetadata, role },
    displayName: `${namespace}-${name}`,
    data: { role: roleId(role) },
  })
}

/**
 * Verifies the signature if keys are configured. Without keys, only the review decides.
 * @throws KernelError 403, or 429 after too many wrong signatures
 */
function* checkSignature({ crypto, ports }: Environment, config: ConfigRecord, jwt: Jwt, allowance: Allowance): Steps<void> {
  if (config.pem_keys.length === 0) {
    if (!ports.tokenReviewer) throw refuseLogin('nothing-to-verify-with')
  } else if (!(yield* verifySteps(jwt, verificationKeysOf(config, crypto), allowance))) throw refuseLogin('signature-invalid')
}

/** Validates the claims, whose signature has not been verified yet. @throws KernelError 403 */
function validateClaims(tx: Tx, config: ConfigRecord, role: OrchestratorRole, { claims }: Jwt): ServiceAccount {
  checkTimes(claims, tx.now)
  if (!config.disable_iss_validation) checkIssuer(claims, config.issuer)
  checkAudience(claims, role.audience)
  const account = serviceAccountOf(claims)
  if (!fitsAny(account.name, role.bound_service_account_names)) throw refuseLogin('name-not-bound')
  if (!fitsAny(account.namespace, role.bound_service_account_namespaces)) throw refuseLogin('namespace-not-bound')
  checkUid(account)
  // With this alias source, the alias is `<namespace>/<name>`, so both must be present.
  const { name, namespace } = account
  if (role.alias_name_source === 'serviceaccount_name' && (name === '' || namespace === '')) throw refuseLogin('claims-malformed')
  return account
}

/** Returns the renewal terms of the current role. @throws KernelError 400 if the role was deleted. */
export function renewLogin(tx: Tx, { role = '' }: Readonly<Record<string, string>>): RenewalTerms {
  const found = findRole(tx, role)
  if (!found) throw notFound(`role ${role} does not exist any more, not renewing`, 400)
  const { token_ttl: ttl, token_max_ttl: maxTtl, token_period: period } = found.token
  return { ttl, maxTtl, period }
}
