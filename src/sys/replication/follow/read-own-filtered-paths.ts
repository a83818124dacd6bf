/** Requests the hidden paths from the primary. This cluster does not store them, because a path filter also hides which paths exist. */
import { KernelError } from '../../../core/base/errors.ts'
import { type FilteredPaths, MOUNT_PREFIX } from '../filters/filtered-paths.ts'
import { PrimaryAnswerLostError, PrimaryRefusedError } from '../link.ts'
import type { ReplicationContext } from '../replication-context.ts'
import { stringMember, textsOf } from '../wire/message-members.ts'

const MAX_FILTERED_PATHS = 1_048_576

/** @returns Undefined if no filter applies to this cluster. @throws KernelError 503 if the primary does not answer. */
export async function readOwnFilteredPaths({ follower, host }: ReplicationContext): Promise<FilteredPaths | undefined> {
  const paths: string[] = []
  for (let after = ''; ; ) {
    const answer = await follower.ask({ kind: 'filtered', after }, host.env.closing).catch(asUnavailable)
    if (answer['filtered'] !== true) return undefined
    paths.push(...textsOf(answer, 'paths', MAX_FILTERED_PATHS))
    const next = stringMember(answer, 'next')
    if (next === '') break
    if (next <= after || paths.length > MAX_FILTERED_PATHS) throw primaryUnavailable()
    after = next
  }
  const [mounts, namespaces] = [paths.filter(isMount), paths.filter((path) => !isMount(path))]
  return {
    dynamic_filtered_mounts: mounts.map((path) => path.slice(1)),
    dynamic_filtered_namespaces: namespaces.map((path) => path.slice(1)),
  }
}

const isMount = (path: string): boolean => path.startsWith(MOUNT_PREFIX)

const primaryUnavailable = (cause?: unknown): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the primary did not answer the request for the filtered paths', { cause })

function asUnavailable(error: unknown): never {
  const isUpstream = error instanceof KernelError && error.code === 'ERR_UPSTREAM'
  throw isUpstream || error instanceof PrimaryAnswerLostError || error instanceof PrimaryRefusedError
    ? primaryUnavailable(error)
    : error
}
