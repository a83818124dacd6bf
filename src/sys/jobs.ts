/** Background work of the kernel itself. The first part of a job's id selects the handler. */
import type { Tx } from '../core/contract/tx.ts'
import { KEYRING_JOB } from '../core/seal/rotation.ts'
import { clearMigration, MIGRATION_JOB } from './mounts/move-mount.ts'
import { clearNamespace, NAMESPACE_JOB } from './namespaces/clear-namespace.ts'
import { endPolicy, POLICY_JOB } from './policies/end-policy.ts'
import { rotateKeyringIfDue } from './rotate/job.ts'

type Job = (tx: Tx, id: string) => void

const JOBS: Readonly<Record<string, Job>> = {
  [NAMESPACE_JOB]: clearNamespace,
  [MIGRATION_JOB]: clearMigration,
  [KEYRING_JOB]: rotateKeyringIfDue,
  [POLICY_JOB]: endPolicy,
}

/** Runs the job `<topic>/<id>` once. A job whose topic this release does not know is dropped. */
export function systemJobs(tx: Tx, item: string): void {
  const at = item.indexOf('/')
  JOBS[item.slice(0, at)]?.(tx, item.slice(at + 1))
}
