/** Creates the token of a login by Vault's rules, in the same commit as the login operation. */
import { invalid } from '../../base/errors.ts'
import type { Auth } from '../../contract/auth-reply.ts'
import { refuseLogin } from '../../contract/login-refusal.ts'
import { capMountTtl, type LoginRequest } from '../../contract/login-terms.ts'
import { AUTH_MOUNT_PREFIX, effectiveTtl, type MountRecord } from '../../contract/mount-record.ts'
import type { TokenRecord } from '../../contract/token-record.ts'
import type { TokenSettings } from '../../contract/token-settings.ts'
import { grantTtl, type Ttl } from '../../contract/ttl.ts'
import type { Tx } from '../../contract/tx.ts'
import { TOPOLOGY } from '../../mount/topology.ts'
import { EntityOnPrimaryError, isReadOnly } from '../../transaction/forwarding.ts'
import { transactionOf } from '../../transaction/transaction-of.ts'
import { type EntityRecord, entityOfAlias } from '../identity/entity.ts'
import { DEFAULT_POLICY, ROOT_POLICY, WRAPPING_POLICY } from '../policies.ts'
import { authOf } from '../token/auth-reply.ts'
import { issueToken, newNames } from '../token/issue-token.ts'
import { expiryOf } from '../token/store-token.ts'
import { normalizePolicies } from '../token/token.ts'

/**
 * @throws KernelError 403 if the entity is disabled; 400 if the token would be a root token, or if its type does not allow the settings of
 * the role.
 */
export function issueLogin(tx: Tx, wish: LoginRequest): Auth {
  const { namespace } = tx.call
  const topology = TOPOLOGY.of(tx)
  if (!topology.holder(tx.call.mount.uuid)?.engine.logins)
    throw new TypeError(`${tx.call.mount.type}: an engine that calls tx.login must declare logins`)
  return transactionOf(tx).within(topology.coreKeyspace(namespace), tx.call, (core) => login(core, wish))
}

function login(tx: Tx, { settings, alias, aliasMetadata, metadata, displayName, data }: LoginRequest): Auth {
  const { namespace, mount, path } = tx.call
  const type = typeOf(settings, mount)
  const entity = entityHere(tx, alias, aliasMetadata)
  if (entity.disabled) throw refuseLogin('entity-disabled')
  const policies = policiesOf(settings)
  checkAssignable([...policies, ...normalizePolicies(entity.policies)])
  const { ttl, warnings } = lifetime(tx, settings)
  for (const warning of warnings) tx.warn(warning)
  const record: TokenRecord = {
    type,
    ...newNames(tx, type),
    namespace: namespace.uuid,
    policies,
    path,
    meta: { ...metadata },
    display_name: `${mount.path.slice(AUTH_MOUNT_PREFIX.length).replaceAll('/', '-')}${displayName}`,
    num_uses: settings.token_num_uses,
    created: tx.now,
    expires: expiryOf(tx.now, ttl),
    creation_ttl: ttl,
    last_ttl: ttl,
    renewed: null,
    renewable: type === 'service',
    explicit_max_ttl: settings.token_explicit_max_ttl,
    period: settings.token_period,
    parent: '',
    role: '',
    entity: entity.id,
    bound_cidrs: settings.token_bound_cidrs,
    mount: mount.uuid,
    state: 'live',
    ...(type === 'service' ? { login: data } : {}),
  }
  return authOf(tx, issueToken(tx, record), record, ttl)
}

/** @throws EntityOnPrimaryError on a secondary, if the primary must create or change the entity. */
function entityHere(tx: Tx, alias: string, metadata: Readonly<Record<string, string>> = {}): EntityRecord {
  const { namespace, mount } = tx.call
  try {
    return entityOfAlias(tx, namespace, mount, alias, metadata)
  } catch (error) {
    if (!isReadOnly(error)) throw error
    throw new EntityOnPrimaryError({ namespace: namespace.uuid, mount: mount.uuid, alias, metadata })
  }
}

/** The mount's tuned token type overrides the role's type, unless the tuned type is only a default. */
function typeOf(settings: TokenSettings, { config }: MountRecord): TokenRecord['type'] {
  const tuned = config.token_type
  const forced = tuned === 'service' || tuned === 'batch' ? tuned : undefined
  const asked = settings.token_type === 'default' ? undefined : settings.token_type
  const type = forced ?? asked ?? (tuned === 'default-batch' ? 'batch' : 'service')
  if (type === 'batch') checkBatch(settings)
  return type
}

function checkBatch({ token_explicit_max_ttl, token_num_uses, token_period }: TokenSettings): void {
  for (const [name, value] of Object.entries({ token_explicit_max_ttl, token_num_uses, token_period }))
    if (value > 0) throw invalid(`${name}: must be 0, because the role or its mount creates batch tokens`)
}

const policiesOf = ({ token_policies, token_no_default_policy }: TokenSettings): readonly string[] => {
  const named = normalizePolicies(token_policies)
  return token_no_default_policy ? named : normalizePolicies([...named, DEFAULT_POLICY])
}

function checkAssignable(policies: readonly string[]): void {
  if (policies.includes(ROOT_POLICY)) throw invalid('auth methods cannot create root tokens')
  if (policies.includes(WRAPPING_POLICY)) throw invalid(`cannot assign policy "${WRAPPING_POLICY}"`)
}

function lifetime(tx: Tx, settings: TokenSettings): Ttl {
  return grantTtl({
    increment: 0,
    backend: settings.token_ttl,
    period: settings.token_period,
    explicitMax: settings.token_explicit_max_ttl,
    start: tx.now,
    now: tx.now,
    mount: capMountTtl(effectiveTtl(tx.call.mount), settings.token_max_ttl),
  })
}
