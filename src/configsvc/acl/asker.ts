/**
 * Whoever asks, and what they may do: a token's policies, its roles' policies, its identities and templated policies.
 */
import { KernelError } from '../../core/base/errors.ts'
import { Part } from '../../core/contract/part.ts'
import { gather } from '../../core/transaction/gather.ts'
import type { ConfigTx } from '../call.ts'
import {
  type Authorizer,
  appliesIn,
  buildAuthorizer,
  type NamedRules,
  type Permission,
  type PermissionText,
  readPermissionText,
  readRules,
  syntheticPolicies,
} from '../rules/index.ts'
import { SETTINGS } from '../settings.ts'
import type { AuthorizerCache } from './authorizer-cache.ts'
import { byId, DEFAULT_NAMESPACE, POLICY, type PolicyRecord, ROLE, type TokenRecord } from './records.ts'
import { tokenOf } from './valid-token.ts'

export interface Asker {
  /** Undefined for the application, and where tokens do not decide. */
  readonly token: TokenRecord | undefined
  readonly authorizer: Authorizer | undefined
}

/** The application may do everything, and everybody may where tokens do not decide. */
const ANYBODY: Asker = Object.freeze({ token: undefined, authorizer: undefined })

/** Compiled sets of policies, of the service that an operation runs in. */
export const AUTHORIZERS = /* @__PURE__ */ new Part<AuthorizerCache>()

/** @throws KernelError 403 for a secret that belongs to no valid token. */
export function askerOf(tx: ConfigTx): Asker {
  const { caller } = tx.call
  return caller.kind === 'app' ? ANYBODY : askerWith(tx, caller.secret)
}

/** Whoever has this secret; empty: none. @throws KernelError 403 for a secret that belongs to no valid token. */
export function askerWith(tx: ConfigTx, secret: string): Asker {
  if (!SETTINGS.of(tx).enabled) return ANYBODY
  const token = tokenOf(tx, secret)
  return { token, authorizer: authorizerOfToken(tx, token) }
}

/** What a token may do. */
export function authorizerOfToken(tx: ConfigTx, token: TokenRecord): Authorizer {
  const { datacenter, defaultPolicy } = SETTINGS.of(tx)
  const ns = token.Namespace
  // Roles and policies that are gone grant nothing.
  const roles = gather(token.Roles, ({ ID }) => tx.get(ROLE, byId(ns, ID))).filter((role) => role !== undefined)
  const links = new Set([token, ...roles].flatMap(({ Policies }) => Policies).map(({ ID }) => ID))
  const policies = gather([...links], (ID) => tx.get(POLICY, byId(ns, ID))).filter(
    (policy): policy is PolicyRecord => policy !== undefined && appliesIn(policy, datacenter),
  )
  const synthetic = [token, ...roles].flatMap(syntheticPolicies).filter((policy) => appliesIn(policy, datacenter))
  const key = [...policies.map(({ ID, ModifyIndex }) => `${ns}/${ID}:${ModifyIndex}`), ...synthetic.map(({ ID }) => ID)].sort()
  const cache = AUTHORIZERS.of(tx)
  return (
    cache.get(key) ??
    cache.add(
      key,
      tx.steps(`authorizer ${key.join(' ')}`, function* () {
        const named: NamedRules[] = []
        for (const { Name, Rules } of [...policies, ...synthetic]) {
          named.push({ name: Name, rules: yield* readRules(Rules) })
          yield
        }
        return yield* buildAuthorizer(named, defaultPolicy)
      }),
    )
  )
}

/** Whether a token counts in a namespace: that of its own, or from the default one, which reaches into all. */
export const reaches = ({ Namespace }: TokenRecord, namespace: string): boolean =>
  Namespace === DEFAULT_NAMESPACE || Namespace === namespace

export function decide({ token, authorizer }: Asker, namespace: string, permission: Permission, segment: string): boolean {
  if (!token || !authorizer) return true
  return reaches(token, namespace) && authorizer.decide(permission.resource, permission.access, segment)
}

/** Whether the caller may do this in the namespace. */
export const may = (asker: Asker, namespace: string, permission: PermissionText, segment = ''): boolean =>
  decide(asker, namespace, readPermissionText(permission), segment)

/** @throws KernelError 403 that tells what is lacking, and nothing of what exists. */
export function permit(asker: Asker, namespace: string, permission: PermissionText, segment = ''): void {
  if (!may(asker, namespace, permission, segment)) throw denied(asker, permission, segment)
}

export function denied({ token }: Asker, permission: PermissionText, segment = ''): KernelError {
  const who = token ? `token with AccessorID '${token.AccessorID}'` : 'provided token'
  const what = segment === '' ? '' : ` on ${JSON.stringify(segment.slice(0, LONGEST_SHOWN))}`
  return new KernelError('ERR_PERMISSION_DENIED', `Permission denied: ${who} lacks permission '${permission}'${what}`)
}

const LONGEST_SHOWN = 256
