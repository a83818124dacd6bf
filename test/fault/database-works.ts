/** The requests and ticks of the failure matrix of the database engine. */
import type { Answer, Process } from './database-process.ts'
import type { World } from './database-world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** In seconds. */
export const PERIOD = 24 * 3600
/** In seconds. */
export const LEASE = 3600

export interface Work {
  readonly name: string
  /** Milliseconds that pass before the work. */
  readonly wait?: number
  readonly run: (process: Process, world: Pick<World, 'lease_id'>) => Promise<Answer | undefined>
  /** Must hold immediately after a successful answer. */
  readonly done?: (answer: Answer, world: World, process: Process) => Promise<boolean> | boolean
}

const ticked = async ({ kernel }: Process): Promise<undefined> => void (await kernel.tick())

const carol = { username: 'carol', db_name: 'main', rotation_period: PERIOD }

export const WORKS: readonly Work[] = [
  {
    name: 'creds',
    run: (process) => process.ask('GET', 'database/creds/app'),
    done: ({ data }, { database }) => database.login(String(data?.['username']), String(data?.['password'])),
  },
  {
    name: 'renew',
    run: (process, { lease_id }) => process.ask('POST', 'sys/leases/renew', { lease_id, increment: 2 * LEASE }),
    done: ({ lease_duration }, { database, made, clock }) => {
      const lasts = (name: string) => (database.users.get(name)?.expiration ?? 0) >= clock.now() + lease_duration * 1000
      return lease_duration === 2 * LEASE && made.every(lasts)
    },
  },
  {
    name: 'revoke',
    run: (process, { lease_id }) => process.ask('POST', 'sys/leases/revoke', { lease_id }),
    done: (_, { made }) => made.length === 0,
  },
  { name: 'expiry', wait: HOUR, run: ticked },
  { name: 'static create', run: (process) => process.ask('POST', 'database/static-roles/new', carol) },
  {
    name: 'static adopt',
    run: (process) => {
      const adopts = { skip_import_rotation: true, password: 'carol-before' }
      return process.ask('POST', 'database/static-roles/new', { ...carol, ...adopts })
    },
  },
  {
    name: 'static update',
    run: (process) => process.ask('POST', 'database/static-roles/known', { rotation_period: 2 * PERIOD }),
    done: async (_, world, { kernel, clock }) => {
      const role = await world.drive(clock, kernel.database.readStaticRole({ name: 'known' }))
      return role.rotation_period === 2 * PERIOD
    },
  },
  { name: 'due rotation', wait: PERIOD * 1000, run: ticked },
  { name: 'rotate-role', run: (process) => process.ask('POST', 'database/rotate-role/known') },
  { name: 'rotate-root', run: (process) => process.ask('POST', 'database/rotate-root/main') },
]
