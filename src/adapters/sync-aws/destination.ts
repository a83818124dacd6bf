/**
 * AWS Secrets Manager as a destination of secret sync.
 */

import { type AmbientNamespaces, assertAmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { endpointOf } from '../sync/config.ts'
import { RULES } from './rules.ts'
import { openSession } from './session.ts'
import { type AwsSyncEnvironment, settingsOf, validate } from './settings.ts'

export interface AwsSyncOptions {
  /** Where the store is asked, in place of the region's own endpoint: a URL. */
  readonly endpoint?: string
  /** Where credentials and region are that a configuration leaves out, such as `process.env`; absent: the SDK's own chain finds them. */
  readonly environment?: AwsSyncEnvironment
  /**
   * Namespaces whose destinations may leave out their keys and use credentials of the process: paths, `''` for the root namespace, `*` for all.
   * Default: `['']`.
   */
  readonly namespaces?: AmbientNamespaces
}

/**
 * Secrets of AWS Secrets Manager, through the package `@aws-sdk/client-secrets-manager`, version 3, imported at the first push.
 *
 * Permissions: `CreateSecret`, `UpdateSecret`, `RestoreSecret`, `DeleteSecret`, `TagResource`, `UntagResource`, and `DescribeSecret` to
 * see who owns a name. A removed secret stays recoverable for the time of the store (30 days); a name that waits for its deletion is restored.
 * @throws TypeError for an endpoint that is no URL.
 */
export function awsSync(options: AwsSyncOptions = {}): SyncDestination {
  const { endpoint, environment, namespaces } = readOptions('awsSync', options, { endpoint: 1, environment: 1, namespaces: 1 })
  const url = endpointOf('awsSync', endpoint)
  assertAmbientNamespaces('awsSync: namespaces', namespaces)
  return {
    type: 'cloud-a-sm',
    rules: RULES,
    ambient_without: ['access_key_id', 'secret_access_key'],
    ...(namespaces && { ambient_namespaces: [...namespaces] }),
    validate: (config) => validate(config, environment),
    open: (config) => openSession(() => settingsOf(config, environment), url),
  }
}
