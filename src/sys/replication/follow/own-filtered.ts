/**
 * What the primary leaves out for this cluster. Names of it are nowhere here: the primary is asked when somebody wants to know.
 */
import { KernelError } from '../../../core/base/errors.ts'
import type { Center } from '../center.ts'
import { type Filtered, MOUNT_LETTER } from '../filters/expansion.ts'
import { LostAnswer, Refused } from '../link.ts'
import { textOf, textsOf } from '../wire/judged.ts'

const MOST_PATHS = 1_048_576

/** @returns undefined where there is no filter. @throws KernelError 503 where the primary does not answer. */
export async function ownFiltered({ follower, host }: Center): Promise<Filtered | undefined> {
  const paths: string[] = []
  for (let after = ''; ; ) {
    const answer = await follower.ask({ kind: 'filtered', after }, host.env.closing).catch(unanswered)
    if (answer['filtered'] !== true) return undefined
    paths.push(...textsOf(answer, 'paths', MOST_PATHS))
    const next = textOf(answer, 'next')
    if (next === '') break
    if (next <= after || paths.length > MOST_PATHS) throw unable()
    after = next
  }
  const [mounts, namespaces] = [paths.filter(isMount), paths.filter((path) => !isMount(path))]
  return {
    dynamic_filtered_mounts: mounts.map((path) => path.slice(1)),
    dynamic_filtered_namespaces: namespaces.map((path) => path.slice(1)),
  }
}

const isMount = (path: string): boolean => path.startsWith(MOUNT_LETTER)

const unable = (cause?: unknown): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the primary is asked what it filters, and does not answer', { cause })

function unanswered(error: unknown): never {
  const isUpstream = error instanceof KernelError && error.code === 'ERR_UPSTREAM'
  throw isUpstream || error instanceof LostAnswer || error instanceof Refused ? unable(error) : error
}
