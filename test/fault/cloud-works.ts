/** The requests and ticks of the failure matrix of the cloud engine. */
import type { CloudCall } from '../../src/testing/index.ts'
import type { Answer, Process } from './cloud-process.ts'
import type { World } from './cloud-world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** In seconds. */
export const LEASE = 3600
/** The rotation period of static roles, in seconds. */
export const PERIOD = 24 * 3600

/**
 * The kernel knows one of these about a failed call: it was refused or throttled, there was no answer, or the answer does not tell the outcome.
 */
export type Known = 'refused' | 'throttled' | 'lost' | 'unclear'

export interface Work {
  readonly name: string
  /** Milliseconds that pass before the work. */
  readonly wait?: number
  /** No user has a lease, which would end during the wait. */
  readonly unleased?: true
  readonly run: (process: Process, world: World) => Promise<Answer | undefined>
  /** Whether a failure of the call is repeated or handled, so that the work succeeds anyway. */
  readonly mends?: (call: CloudCall, known: Known, when: 'before' | 'after', manner: string) => boolean
  /** The static role that the work deletes. It may return no credentials afterwards. */
  readonly deletes?: string
  /** Must hold after the failure has ended, whatever happened. */
  readonly eventually?: (world: World, process: Process) => Promise<boolean>
  /** Must hold immediately after a successful answer. */
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
    // The user has two keys already, so the oldest one is deleted.
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
    // The engine finds out that the key is already deleted.
    mends: (_, known, when, manner) => when === 'after' && known !== 'refused' && manner !== 'hangs' && manner !== 'deaf',
    done: async (_, world, process) => !(await world.handsOut(process, 'known')),
  },
  {
    name: 'rotate-root',
    run: (process) => process.ask('POST', 'cloud/config/rotate-root'),
    // The rotation continues without the list.
    mends: (call, known) => call === 'listAccessKeys' && known === 'refused',
    done: ({ data }, { cloud }) => {
      const keys = cloud.users.get('engine-root')?.keys ?? []
      return keys.length === 1 && keys[0]?.accessKeyId === data?.['access_key']
    },
  },
]
