/** sys/rotate/config: configures automatic rotation of the barrier key, as in Vault. */
import { invalid } from '../../core/base/errors.ts'
import { formatGoSeconds } from '../../core/base/go-duration.ts'
import { operation } from '../../core/contract/operation.ts'
import { f } from '../../core/field/fields.ts'
import { CONTROLS } from '../../core/kernel/controls.ts'
import { MAX_OPERATIONS, rotationConfig, storeRotationConfig } from '../../core/seal/rotation.ts'

const MIN_OPERATIONS = 1_000_000
const DAY = 86_400
/** The largest number of seconds whose value in nanoseconds fits into 63 bits. The limit comes from Vault, which stores nanoseconds. */
const MAX_INTERVAL_SECONDS = 9_223_372_036

/** @throws no errors of its own. */
export const readRotationConfig = operation({
  kind: 'read',
  verb: 'GET',
  path: '/rotate/config',
  aliasPaths: ['/rotate/keyring/config'],
  rootOnly: true,
  summary: 'Shows the configuration of the automatic rotation of the barrier key.',
  fields: {},
  returns: {
    enabled: f.bool('Whether automatic rotation is enabled.'),
    max_operations: f.int('The number of encryptions after which the key is rotated.'),
    interval: f.int(
      'The number of seconds after which the key is rotated, or 0 if it is never rotated because of its age. Calls by path return 0 or a text such as `48h0m0s`.',
    ),
  },
  wire: ({ interval, ...others }) => ({ data: { ...others, interval: interval === 0 ? 0 : formatGoSeconds(interval) } }),
  run: (tx) => rotationConfig(tx),
})

/**
 * @throws KernelError 400 if `max_operations` is below 1,000,000 or above 3,865,470,566, or if `interval` is not 0 and is below 24 hours or
 *   above 292 years.
 */
export const configureRotation = operation({
  kind: 'write',
  verb: 'POST',
  path: '/rotate/config',
  aliasPaths: ['/rotate/keyring/config'],
  rootOnly: true,
  summary:
    'Configures the automatic rotation of the barrier key. A parameter that the request omits keeps its value. If one parameter is refused, nothing changes.',
  fields: {
    enabled: f.bool('Whether to rotate the key automatically.').optional(),
    max_operations: f
      .int(`The number of encryptions after which the key is rotated: ${MIN_OPERATIONS} to ${MAX_OPERATIONS}.`)
      .optional(),
    interval: f
      .duration('The time after which the key is rotated: at least 24 hours, or 0 to disable rotation by age.')
      .optional(),
  },
  returns: {},
  run: (tx, input) => {
    const known = rotationConfig(tx)
    const { enabled = known.enabled, max_operations = known.max_operations, interval = known.interval } = input
    if (max_operations < MIN_OPERATIONS || max_operations > MAX_OPERATIONS)
      throw invalid(`max_operations: must be in the range [${MIN_OPERATIONS},${MAX_OPERATIONS}]`)
    if (interval !== 0 && interval < DAY) throw invalid('interval: must be greater or equal to 24h0m0s')
    if (interval > MAX_INTERVAL_SECONDS) throw invalid(`interval: must be at most ${MAX_INTERVAL_SECONDS} seconds`)
    const { installed } = CONTROLS.of(tx).sealing.keeper.parts.barrier.ring.active
    storeRotationConfig(tx, { enabled, max_operations, interval }, installed)
    return undefined
  },
})

/** The two operations above at alternative paths. */
export const readKeyringConfig = operation({
  ...readRotationConfig,
  path: '/rotate/keyring/config',
  aliasPaths: ['/rotate/config'],
})
export const configureKeyring = operation({
  ...configureRotation,
  path: '/rotate/keyring/config',
  aliasPaths: ['/rotate/config'],
})
