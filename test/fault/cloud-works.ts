/** What processes are asked to do with a cloud, each of it once. */
import type { CloudCall } from '../../src/testing/index.ts'
import type { Answer, Process } from './cloud-process.ts'
import type { World } from './cloud-world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** Seconds. */
export const LEASE = 3600
/** Seconds, of static roles. */
export const PERIOD = 24 * 3600

/** What is known of a call that went wrong: nothing was done, there was no answer, or none that says what was done. */
export type Known = 'refused' | 'throttled' | 'lost' | 'unclear'

export interface Work {
  readonly name: string
  /** Milliseconds that pass first. */
  readonly wait?: number
  /** No user has a lease that would end meanwhile. */
  readonly unleased?: true
  readonly run: (process: Process, world: World) => Promise<Answer | undefined>
  /** Calls that are asked again or looked after, so that the work succeeds all the same. */
  readonly mends?: (call: CloudCall, known: Known, when: 'before' | 'after', manner: string) => boolean
  /** The static role that it deletes: it may hand out nothing from then on. */
  readonly deletes?: string
  /** What holds when there is calm, whatever went wrong. */
  readonly eventually?: (world: World, process: Process) => Promise<boolean>
  /** What holds at once after a success. */
  readonly done?: (answer: Answer, world: World, process: Process) => Promise<boolean> | boolean
}

const ticked = async ({ kernel }: Process): Promise<undefined> => void (await kernel.tick())

const works = ({ data }: Answer, { cloud }: World): boolean => {
  const { access_key, secret_key, security_token } = data as Readonly<Record<string, string | null>>
  return cloud.works(String(access_key), String(secret_key), security_token ?? undefined)
}

export const WORKS: readonly Work[] = [
  {
    name: 'creds',
    run: (process) => process.ask('GET', 'cloud/creds/app'),
    mends: (call, known) => known === 'lost' && (call === 'createUser' || call === 'createAccessKey'),
    done: works,
  },
  { name: 'session', run: (process) => process.ask('POST', 'cloud/sts/session'), done: works },
  {
    name: 'revoke',
    run: (process, { lease_id }) => process.ask('POST', 'sys/leases/revoke', { lease_id, sync: true }),
    mends: (call, known) => known === 'throttled' || (call === 'deleteUser' && known !== 'refused'),
    done: (_, { made }) => made.length === 0,
  },
  { name: 'expiry', wait: LEASE * 1000, run: ticked },
  {
    // Of a user with two keys: the oldest goes.
    name: 'static create',
    run: (process) => process.ask('POST', 'cloud/static-roles/new', { username: 'app-two', rotation_period: PERIOD }),
    done: (_, world, process) => world.handsOut(process, 'new'),
  },
  {
    name: 'static rotation',
    wait: PERIOD * 1000,
    unleased: true,
    run: ticked,
    eventually: async (world, process) => (await world.unrotated(process)).length === 0,
  },
  {
    name: 'static delete',
    deletes: 'known',
    run: (process) => process.ask('DELETE', 'cloud/static-roles/known'),
    // Its key is seen to be gone.
    mends: (_, known, when, manner) => when === 'after' && known !== 'refused' && manner !== 'hangs' && manner !== 'deaf',
    done: async (_, world, process) => !(await world.handsOut(process, 'known')),
  },
  {
    name: 'rotate-root',
    run: (process) => process.ask('POST', 'cloud/config/rotate-root'),
    // It does without.
    mends: (call, known) => call === 'listAccessKeys' && known === 'refused',
    done: ({ data }, { cloud }) => {
      const keys = cloud.users.get('engine-root')?.keys ?? []
      return keys.length === 1 && keys[0]?.accessKeyId === data?.['access_key']
    },
  },
]
