/** Background work of the kernel itself. The first part of a job's id, its topic, selects the handler. */

import type { Environment } from '../core/contract/environment.ts'
import { KernelService } from '../core/contract/kernel-service.ts'
import type { Tx } from '../core/contract/tx.ts'
import { CONTROLS } from '../core/kernel/controls.ts'
import { KEYRING_JOB, rotateIfDue } from '../core/seal/rotation.ts'
import { clearMigration, MIGRATION_JOB } from './mounts/move-mount.ts'

type Job = (tx: Tx, id: string) => void

/** The topic of the job that deletes the content of a removed namespace: `namespace/<uuid>`. Its handler belongs to the part `namespaces()`. */
export const NAMESPACE_JOB = 'namespace'
/** The topic of the job that deletes an expired policy: `policy/<namespace>/<name>`. Its handler belongs to the part `policies()`. */
export const POLICY_JOB = 'policy'

const JOBS: Readonly<Record<string, Job>> = {
  [MIGRATION_JOB]: clearMigration,
  [KEYRING_JOB]: rotateKeyringIfDue,
}

/** Rotates the barrier key automatically. */
function rotateKeyringIfDue(tx: Tx): void {
  const { keeper } = CONTROLS.of(tx).sealing
  rotateIfDue(tx, keeper.parts.barrier.ring.active, (from) => keeper.rotate(from))
}

type PartTopic = typeof NAMESPACE_JOB | typeof POLICY_JOB

const PART_JOBS = /* @__PURE__ */ new KernelService<Map<string, Job>>()

/** How long a job is postponed if this kernel does not have the part that handles the job, in milliseconds. */
const MISSING_PART_MS = 3_600_000

/** Adds the handler of a part when the kernel is assembled. */
export function addJob(env: Environment, topic: PartTopic, job: Job): void {
  const jobs = PART_JOBS.find({ env }) ?? new Map<string, Job>()
  PART_JOBS.install(env, jobs.set(topic, job))
}

/**
 * Runs the job `<topic>/<id>` once. If the handler belongs to a part that this kernel does not have, the job is postponed until a kernel
 * that has the part finds it. A job whose topic this release does not know is dropped.
 */
export function systemJobs(tx: Tx, item: string): void {
  const at = item.indexOf('/')
  const topic = item.slice(0, at)
  const job = JOBS[topic] ?? PART_JOBS.find(tx)?.get(topic)
  if (job) job(tx, item.slice(at + 1))
  else if (topic === NAMESPACE_JOB || topic === POLICY_JOB) tx.due('housekeeping', item, { to: tx.now + MISSING_PART_MS })
}
