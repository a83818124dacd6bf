/** Describes failures of the cluster for the message of the kernel's error. */
import type { StorageFailure } from '../../core/storage/port.ts'
import { connectionFailure } from '../network/connection-failure.ts'
import { EtcdError, isForbidden, isFull, isLoginRefused, isMemberSilent, UnusablePrefix } from './failures.ts'

export function describeFailure(error: unknown): StorageFailure | undefined {
  if (error instanceof UnusablePrefix)
    return {
      reported: 'the prefix cannot hold a store, or holds one of a newer version',
      remedy: 'the cause says why; use another prefix, or update strongroom',
    }
  if (!(error instanceof EtcdError)) return undefined
  if (isForbidden(error))
    return { reported: 'permission denied (gRPC status 7)', remedy: 'grant the etcd user readwrite on the prefix' }
  if (isLoginRefused(error))
    return { reported: `login refused (gRPC status ${error.status})`, remedy: 'correct the user and password of the storage' }
  if (isFull(error))
    return { reported: 'database space exceeded (gRPC status 8)', remedy: 'compact and defragment etcd, or raise its quota' }
  if (isMemberSilent(error)) return { reported: 'etcd did not answer in time' }
  if (error.status !== undefined) return { reported: `gRPC status ${error.status}` }
  const reported = connectionFailure(error.cause)
  return reported === undefined ? undefined : { reported }
}
