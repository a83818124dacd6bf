/** POST sys/policies/acl/:name, as in Vault. */
import { POLICY, type PolicyRecord, policyOf, storedPolicy } from '../../core/access/policies.ts'
import { MAX_TIME_MS } from '../../core/base/absolute-time.ts'
import { conflict, invalid } from '../../core/base/errors.ts'
import { foldName } from '../../core/base/fold-name.ts'
import type { Steps } from '../../core/base/steps.ts'
import { operation } from '../../core/contract/operation.ts'
import type { Tx } from '../../core/contract/tx.ts'
import type { Parsed } from '../../core/field/field.ts'
import { f } from '../../core/field/fields.ts'
import { checkWritable } from '../../core/field/free-path.ts'
import { withParameterName } from '../../core/field/wire-names.ts'
import { parsePolicySteps, warningsOfPatterns } from '../../core/policy/index.ts'
import { scheduleEnd } from './end-policy.ts'
import { checkOwn, POLICY_NAME } from './names.ts'
import { plainText } from './plain-text.ts'

export const POLICY_FIELDS = {
  name: POLICY_NAME,
  policy: f.text('The rules in HCL or JSON, as plain text or in base64.').default(''),
  rules: f.text('The former name of `policy`.').default(''),
  expiration: f
    .time(
      'When the policy expires. After that, it neither grants nor denies anything. Cannot be combined with `ttl`. Default: it does not expire.',
    )
    .optional(),
  ttl: f.duration('The lifetime of the policy from now, instead of `expiration`; at least one second.').optional(),
  cas: f
    .int(
      'The `version` that the write replaces, or -1 if the policy must not exist. If the current version differs, the write is refused.',
    )
    .optional(),
  cas_required: f
    .bool('Whether this write and the next write of the same policy require `cas`. The next write replaces this setting.')
    .default(false),
}

/** Stores a policy. After the commit, the policy applies to all tokens that have it, including existing tokens. */
export function storePolicy(tx: Tx, input: Parsed<typeof POLICY_FIELDS>): undefined {
  checkWritable(input.name, 'name')
  const name = foldName(input.name)
  checkOwn(name, 'update')
  const given = input.policy || input.rules
  if (given === '') throw invalid("policy: 'policy' parameter not supplied or empty")
  const ends = endOf(tx, input)
  const text = plainText(given)
  let warnings: readonly string[]
  try {
    warnings = tx.steps('policy', () => readWarnings(text))
  } catch (refusal) {
    throw input.policy === '' ? withParameterName(refusal, 'policy', 'rules') : refusal
  }
  const { namespace } = tx.call
  const stored = storedPolicy(tx, namespace, name)
  const replaced = policyOf(stored, name, tx.now)
  checkCas(replaced, input.cas, input.cas_required)
  const record: PolicyRecord = {
    text,
    version: (replaced?.version ?? 0) + 1,
    ...(tx.now >= 0 && tx.now <= MAX_TIME_MS ? { modified: tx.now } : {}),
    ...(input.cas_required ? { cas_required: true } : {}),
    ...(ends === undefined ? {} : { ends }),
  }
  const id = `${namespace.uuid}/${name}`
  tx.put(POLICY, id, record)
  scheduleEnd(tx, id, stored, record)
  tx.event('policy.written', { name })
  if (name !== input.name) tx.warn(`policy name was converted to ${name}`)
  for (const warning of warnings) tx.warn(warning)
  if (input.policy === '') tx.warn("'rules' is deprecated, please use 'policy' instead")
  return undefined
}

/** Returns warnings about the path patterns of a policy. @throws KernelError 400 if the text is not a valid policy. */
function* readWarnings(text: string): Steps<readonly string[]> {
  return yield* warningsOfPatterns(yield* parsePolicySteps(text))
}

/**
 * Returns when the policy expires, in milliseconds since 1970; undefined if it does not expire.
 * @throws KernelError 400 if the expiration is invalid, or if both parameters are given.
 */
function endOf({ now }: Tx, { expiration, ttl }: Pick<Parsed<typeof POLICY_FIELDS>, 'expiration' | 'ttl'>): number | undefined {
  if (expiration !== undefined && ttl !== undefined) throw invalid('ttl: cannot be combined with expiration')
  if (ttl === 0) throw invalid('ttl: must be at least one second')
  const ends = ttl === undefined ? expiration : now + ttl * 1000
  if (ends === undefined) return undefined
  if (!(ends <= MAX_TIME_MS)) throw invalid('ttl: must end before the year 10000')
  // The negated comparison also refuses NaN.
  if (!(ends > now)) throw invalid('expiration: must be in the future')
  return ends
}

/**
 * Check-and-set, so that concurrent changes of a policy do not overwrite each other.
 * @throws KernelError 400 if `cas` is required but missing, or does not match the current version.
 */
function checkCas(replaced: PolicyRecord | undefined, cas: number | undefined, required: boolean): void {
  if (cas === undefined) {
    if (required || replaced?.cas_required)
      throw invalid('cas: required, because this write or the last one has set cas_required; read the policy for its version')
    return
  }
  const version = replaced?.version ?? 0
  if (cas === -1) {
    if (replaced)
      throw conflict(
        `cas: -1 requires that the policy does not exist, but it has version ${version}; read the policy again and retry`,
        version,
      )
  } else if (cas !== version)
    throw conflict(`cas: ${cas} does not match the current version ${version}; read the policy again and retry`, version)
}

/**
 * @throws KernelError 400 if the rules are empty, are too long, or cannot be parsed, if the name is `root` or `response-wrapping`, if `ttl`
 *   and `expiration` are both given, if the policy would have expired already, if `cas` is not the current version of the policy, or if
 *   `cas` is missing and this call or the stored policy sets `cas_required`. If the rules cannot be parsed, the message contains the
 *   position.
 * @example
 * await kernel.policies.writePolicy({
 *   name: 'orders',
 *   policy: `path "transit/encrypt/orders" { capabilities = ["update"] }`,
 * })
 */
export const writePolicy = operation({
  kind: 'write',
  verb: 'POST',
  path: '/policies/acl/+name',
  aliasPaths: ['/policy/+name'],
  forwardable: true,
  summary: 'Creates or replaces a policy.',
  fields: POLICY_FIELDS,
  returns: {},
  run: storePolicy,
})
