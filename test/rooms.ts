/**
 * The rooms that tests belong to. `npx vitest --project transit` runs the tests of one room. The longest matching path prefix decides the room.
 */
const PREFIXES = {
  crypto: ['unit/crypto', 'unit/base64', 'unit/core/sealed-together', 'adapters/platform', 'adapters/pgp', 'interop', 'runtimes'],
  transit: [
    'engines',
    'unit/transit',
    'large/rings',
    'fault/interference',
    'processes/counting',
    'property/convergent',
    'property/encryption',
    'property/hmac',
    'property/moves',
    'property/ring-model',
    'property/signatures',
    'property/version-templates',
    'security/convergent-forgery',
  ],
  kv: ['engines/kv', 'property/kv', 'fuzz/kv2', 'fault/kv2-cas'],
  database: [
    'engines/database',
    'unit/database',
    'adapters/database',
    'crash/database-kill',
    'fault/database',
    'processes/linearizable',
    'property/passwords',
  ],
  cloud: ['engines/cloud', 'unit/cloud', 'adapters/cloud-aws', 'fault/cloud', 'property/cloud-roles'],
  orchestrator: [
    'engines/orchestrator',
    'unit/core/jwt',
    'adapters/orchestrator-kubernetes',
    'fuzz/orchestrator',
    'processes/logins',
  ],
  sync: ['sys/sync', 'adapters/sync', 'fault/sync', 'property/sync-model'],
  configsvc: [
    'configsvc',
    'adapters/key-sets',
    'unit/configsvc',
    'fuzz/configsvc',
    'crash/config',
    'processes/configsvc',
    'property/configsvc',
    'replication/clusters/configsvc',
  ],
  replication: ['replication', 'fault/hanging-replication'],
  storage: [
    'contract',
    'unit/storage',
    'adapters/etcd',
    'adapters/postgresql',
    'unit/core/store-format',
    'fault/crash',
    'fault/forgetful-storages',
    'fault/every-call',
    'crash/kill',
    'processes/etcd-trouble',
    'processes/histories',
    'large/stored',
  ],
  http: [
    'http',
    'clients',
    'ui',
    'openapi',
    'transcripts',
    'fuzz',
    'unit/request',
    'unit/views',
    'property/requests',
    'property/json-arbitraries',
    'large/requests',
  ],
  policy: ['unit/core/policy', 'property/policy', 'large/policies', 'property/free-paths'],
  seal: [
    'seal',
    'unit/seal',
    'unit/sys/rekey',
    'property/rekey-model',
    'property/share-token-model',
    'fault/rekey-crash',
    'fault/share-attempts',
  ],
  audit: ['adapters/audit', 'unit/audit', 'unit/events'],
  frameworks: ['adapters/context', 'adapters/fastify', 'adapters/hono', 'adapters/nestjs'],
  kernel: ['unit', 'property', 'fault', 'processes', 'security', 'large', 'sys', 'crash'],
  operators: ['cli', 'server', 'ui', 'migrate', 'seed'],
  telemetry: ['adapters/telemetry', 'adapters/metrics'],
  docs: ['docs', 'editor', 'unit/tools'],
} as const

export type Room = keyof typeof PREFIXES

export const ROOMS = Object.keys(PREFIXES) as readonly Room[]

const ORDERED = Object.entries(PREFIXES)
  .flatMap(([room, prefixes]) => prefixes.map((prefix) => ({ room: room as Room, prefix })))
  .sort((a, b) => b.prefix.length - a.prefix.length)

/** The room of a test file. `path` is relative to the folder of this module, with slashes. */
export function roomOf(path: string): Room {
  const found = ORDERED.find(({ prefix }) => path.startsWith(prefix))
  if (!found) throw new Error(`test/${path}: add it to a room in test/rooms.ts`)
  return found.room
}
