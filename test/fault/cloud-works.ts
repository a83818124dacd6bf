/** What processes are asked to do with a cloud, each of it once. */
import type { CloudCall } from '../../src/testing/index.ts'
import type { Answer, Process } from './cloud-process.ts'
import type { World } from './cloud-world.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** Seconds. */
export const LEASE = 3600

/** What is known of a call that went wrong: nothing was done, there was no answer, or none that says what was done. */
export type Known = 'refused' | 'throttled' | 'lost' | 'unclear'

export interface Work {
  readonly name: string
  /** Milliseconds that pass first. */
  readonly wait?: number
  readonly run: (process: Process, world: World) => Promise<Answer | undefined>
  /** Calls that are asked again after that, so that the work succeeds all the same. */
  readonly mends?: (call: CloudCall, known: Known) => boolean
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
]
