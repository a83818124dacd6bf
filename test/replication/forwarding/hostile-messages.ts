/** Messages of a hostile secondary: valid ones with changed members, and random ones. */
import { EVERY_OPERATION } from '../../fixtures/every-operation.ts'
import fc from '../../fixtures/fast-check.ts'
import { type Cluster, HIDDEN, hiddenMountOf, messageFor, mountOf, type Sent } from './world.ts'

const TEXTS = [
  '',
  'a',
  'k',
  '..',
  'a//b',
  '/',
  'A\u212a',
  'x'.repeat(5000),
  '\ud800',
  '__proto__',
  'constructor',
  `${HIDDEN}-kv`,
  'sys',
  '{"a":1}',
  '{',
  '[]',
]

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, 2 ** 53, 10n ** 30n),
    fc.constantFrom(...TEXTS),
    fc.uint8Array({ maxLength: 40 }),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(
      fc.constantFrom('a', 'path', 'name', 'refusal', 'code', 'message', 'value', 'given', '__proto__', 'length'),
      tie('any'),
      { maxKeys: 3 },
    ),
  ),
})).any

/** Members at any depth that are replaced, added or removed. */
const changes = fc.array(
  fc.record({
    member: fc.constantFrom(
      'kind', 'operation', 'mount', 'namespace', 'path', 'remote_address', 'caller', 'asked', 'input', 'item', 'items', 'alias', 'metadata', 'origin',
      'caller.policies', 'caller.namespace', 'caller.mount', 'caller.entity', 'asked.wrapTtl', 'asked.parameters', 'asked.trailingSlash',
      'input.path', 'input.name', 'input.data', 'input.custom_metadata', 'input.options', 'input.type', 'input.policy', 'item.plaintext', 'input.__proto__',
    ), // biome-ignore format: a table
    value,
    isRemoved: fc.boolean(),
  }),
  { maxLength: 3 },
)

function changed(message: Sent, member: string, isRemoved: boolean, to: unknown): Sent {
  const [first = '', second] = member.split('.')
  if (second === undefined) {
    const { [first]: _, ...rest } = message
    return isRemoved ? rest : { ...rest, [first]: to }
  }
  const inside = message[first]
  return typeof inside === 'object' && inside !== null
    ? { ...message, [first]: changed(inside as Sent, second, isRemoved, to) }
    : message
}

/** Most messages lead to an existing mount. */
export function hostileMessages(primary: Cluster): fc.Arbitrary<Sent> {
  const space = `${HIDDEN}-space/`
  const places = [
    ...['secret/', 'kv2/', 'transit/', 'sys/', 'sys/', 'auth/token/', 'auth/orchestrator/', 'here/'].map((path) => ({
      path,
      namespace: '',
    })),
    ...[hiddenMountOf('kv'), hiddenMountOf('transit')].map((path) => ({ path, namespace: '' })),
    { path: 'sys/', namespace: space },
    { path: 'kv/', namespace: space },
  ]
  const root = {
    policies: ['root'],
    namespace: mountOf(primary, 'sys/').record.namespace,
    mount: mountOf(primary, 'auth/token/').record.uuid,
    entity: '',
    display_name: '',
  }
  const writes = EVERY_OPERATION.filter(({ operation, method }) => operation.forwardable && method !== 'readWrappingKey')
  const known = fc.oneof(
    { arbitrary: fc.constantFrom(...writes), weight: 3 },
    { arbitrary: fc.constantFrom(...EVERY_OPERATION), weight: 1 },
  )
  const callers = fc.constantFrom(null, root, { ...root, policies: ['plain'] })
  const ownPlace = (place: string) => ({ path: place, namespace: '' })
  return fc
    .tuple(
      known,
      fc.option(fc.constantFrom(...places)),
      callers,
      changes,
      fc.constantFrom('forward', 'forward', 'forward', 'entity'),
    )
    .map(([firstOperation, place, caller, all, kind]) =>
      all.reduce((message, { member, isRemoved, value }) => changed(message, member, isRemoved, value), {
        kind,
        alias: 'a',
        metadata: {},
        ...messageFor(primary, firstOperation, place ?? ownPlace(firstOperation.mount), caller),
      } as Sent),
    )
}
