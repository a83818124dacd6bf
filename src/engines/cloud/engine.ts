/**
 * The cloud engine as a kernel is made of it.
 */
export type {} from './events.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CloudApi } from './api.ts'
import { CLOUD_EVENTS } from './events.ts'
import { cloud as cloudOperations, otherVerbs } from './index.ts'
import { CLOUD } from './port.ts'

/** Credentials of a cloud. */
export interface Cloud extends CloudApi {
  /** The same methods for an engine of that type mounted elsewhere, such as `aws/`. */
  at(path: string): Cloud
}

/** What kernels with the cloud engine show. */
export interface CloudFacades {
  /** Credentials of a cloud, at `cloud/`; `at(path)` for other mounts. */
  readonly cloud: Cloud
}

/** Short-lived credentials of a cloud, and keys of its users: `kernel.cloud`, at `cloud/` in a fresh store. */
export const cloud = (): EngineValue<CloudFacades> =>
  engineValue<CloudFacades>({
    ...cloudOperations,
    events: CLOUD_EVENTS,
    operations: { ...cloudOperations.operations, ...otherVerbs },
    ports: { cloud: CLOUD },
    fresh: [{ path: 'cloud/', description: 'credentials of a cloud' }],
    facades: { cloud: { path: 'cloud/', operations: cloudOperations.operations } },
  })
