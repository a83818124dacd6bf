export type {} from '../credentials/events.ts'
export type {} from './events.ts'
export type {} from './port.ts'

import { type EngineValue, engineValue } from '../../core/contract/engine.ts'
import type { CloudApi } from './generated/api.ts'
import { cloud as cloudOperations, otherVerbs } from './index.ts'
import { CLOUD_MANIFEST } from './manifest.ts'

/** The methods of the cloud engine. */
export interface Cloud extends CloudApi {
  /** Returns the methods for a cloud engine at another mount path, such as `aws/`. */
  at(path: string): Cloud
}

/** The facades of a kernel with the cloud engine. */
export interface CloudFacades {
  /** The cloud engine at the mount `cloud/`. `at(path)` returns the methods for another mount. */
  readonly cloud: Cloud
}

/**
 * The cloud engine: issues short-lived cloud credentials, and rotates the access keys of existing users. It adds `kernel.cloud`, and a new
 * store has a mount of it at `cloud/`.
 */
export const cloud = (): EngineValue<CloudFacades> =>
  engineValue<CloudFacades>({
    ...cloudOperations,
    events: CLOUD_MANIFEST.events,
    operations: { ...cloudOperations.operations, ...otherVerbs },
    ports: CLOUD_MANIFEST.ports,
    fresh: CLOUD_MANIFEST.fresh,
    facades: { cloud: { path: 'cloud/', operations: cloudOperations.operations } },
  })
