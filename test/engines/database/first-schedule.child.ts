/** Opens a store in a new process, uses static roles, and sends whether cron-parser is loaded before and after. */
import { createRequire, register } from 'node:module'
import { createKernel, type Entry, type Kernel, KernelError, keySeal } from '../../../src/index.ts'
import { fakeClock, fakeDatabasePlugin } from '../../../src/testing/index.ts'
import { childArguments, send } from '../../fixtures/child-side.ts'
import { copyOfRecords } from '../../fixtures/copied-store.ts'

export interface FirstSchedule {
  readonly use: string
  /** The time of the clock, in RFC 3339. */
  readonly now: string
  /** Whether importing cron-parser fails. */
  readonly importFails: boolean
  /** The records of the store, with their values in base64, and the key of its seal in base64. */
  readonly records: readonly (readonly [string, string])[]
  readonly sealKey: string
}

export interface FirstScheduleResult {
  readonly before: boolean
  readonly after: boolean
  readonly ttl?: number
  readonly refusal?: { readonly status: number; readonly message: string }
  /** Whether the password of the user is still the one that the store contained. */
  readonly keepsPassword: boolean
}

const { use, now, importFails, records, sealKey } = childArguments<FirstSchedule>()

const FAILING_IMPORT = `export async function resolve(specifier, context, next) {
  if (specifier === 'cron-parser') throw new Error('the package is missing')
  return next(specifier, context)
}`
if (importFails) register(`data:text/javascript,${encodeURIComponent(FAILING_IMPORT)}`)

const { cache } = createRequire(import.meta.url)
const isLoaded = (): boolean => Object.keys(cache).some((path) => /[\\/]cron-parser[\\/]/.test(path))

const NEW = { name: 'new', db_name: 'db', username: 'billing' }
const USES: Readonly<Record<string, (kernel: Kernel) => Promise<unknown>>> = {
  writePeriod: (kernel) => kernel.database.writeStaticRole({ ...NEW, rotation_period: '1h' }),
  writeSchedule: (kernel) => kernel.database.writeStaticRole({ ...NEW, rotation_schedule: '0 3 * * *' }),
  adoptUser: (kernel) =>
    kernel.database.writeStaticRole({
      ...NEW,
      rotation_schedule: '0 3 * * *',
      skip_import_rotation: true,
      password: 'first',
    }),
  refusedSchedule: (kernel) => kernel.database.writeStaticRole({ ...NEW, rotation_schedule: '@daily' }),
  rotateRole: (kernel) => kernel.database.rotateRole({ name: 'scheduled' }),
  tick: (kernel) => kernel.tick(),
  read: (kernel) => kernel.database.staticCreds({ name: 'scheduled' }),
}

const fake = fakeDatabasePlugin()
fake.addUser('billing', 'first')
fake.addUser('reports', 'first')
const storage = await copyOfRecords(
  records.map(([key, value]): Entry => ({ key, value: Buffer.from(value, 'base64'), version: 1 }) as never),
)
const kernel = await createKernel({
  storage,
  seal: keySeal(Buffer.from(sealKey, 'base64')),
  clock: fakeClock(Date.parse(now)),
  ports: { databases: { fake } },
})
const before = isLoaded()
let refusal: FirstScheduleResult['refusal']
try {
  await (USES[use] as (kernel: Kernel) => Promise<unknown>)(kernel)
} catch (thrown) {
  if (!(thrown instanceof KernelError)) throw thrown
  refusal = { status: thrown.status, message: thrown.message }
}
const after = isLoaded()
const keepsPassword = fake.login('billing', 'first') && fake.login('reports', 'first')
const name = /^(writePeriod|writeSchedule|adoptUser)$/.test(use) ? 'new' : 'scheduled'
const ttl = refusal || importFails ? undefined : (await kernel.database.staticCreds({ name })).ttl
send({ before, after, ttl, refusal, keepsPassword } satisfies { [K in keyof FirstScheduleResult]: unknown })
await kernel.close()
