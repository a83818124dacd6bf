/**
 * AWS Secrets Manager as a destination of secret sync.
 */

import { type AmbientNamespaces, assertAmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { readOptions } from '../../core/base/options.ts'
import type { SyncDestination } from '../../sys/sync/port.ts'
import { parseEndpoint } from '../sync/config.ts'
import { AWS_RULES } from './rules.ts'
import { openAwsSession } from './session.ts'
import { type AwsSyncEnvironment, awsSettingsOf, validateAwsConfig } from './settings.ts'

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
  const url = parseEndpoint('awsSync', endpoint)
  assertAmbientNamespaces('awsSync: namespaces', namespaces)
  return {
    type: 'cloud-a-sm',
    rules: AWS_RULES,
    ambient_without: ['access_key_id', 'secret_access_key'],
    ...(namespaces && { ambient_namespaces: [...namespaces] }),
    validate: (config) => validateAwsConfig(config, environment),
    open: (config) => openAwsSession(() => awsSettingsOf(config, environment), url),
  }
}
