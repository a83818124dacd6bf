/**
 * AWS as the cloud of the cloud engine.
 */

import { type AmbientNamespaces, assertAmbientNamespaces } from '../../core/base/ambient-namespaces.ts'
import { type OptionDuration, readOptions } from '../../core/base/options.ts'
import type { CloudProvider } from '../../engines/cloud/port.ts'
import { awsClient } from './client.ts'
import { AwsConnection } from './connection.ts'
import type { AwsCredentials, AwsCredentialsProvider, IamModule, StsModule } from './sdk.ts'

export interface AwsCloudOptions {
  /** The package `@aws-sdk/client-iam`: `import * as iam from '@aws-sdk/client-iam'`. Default: imported at first use. */
  readonly iam?: IamModule
  /** The package `@aws-sdk/client-sts`. Default: imported at first use. */
  readonly sts?: StsModule
  /** Ambient credentials, used where a configuration has none: themselves, or what provides them. Absent: there are none. */
  readonly credentials?: AwsCredentials | AwsCredentialsProvider
  /** Namespaces whose mounts may use the ambient credentials: paths, `''` for the root namespace, `*` for all. Default: `['']`. */
  readonly namespaces?: AmbientNamespaces
  /** Milliseconds for a call with all its attempts and pages. Default: 15,000. */
  readonly deadlineMs?: OptionDuration
  /** See `CloudProvider`. Absent: credentials are handed out at once. */
  readonly ready?: CloudProvider['ready']
  /** Milliseconds for all questions whether credentials are ready. Default: 30,000. */
  readonly readyTimeoutMs?: OptionDuration
}

const MAX_DEADLINE_MS = 2 ** 31 - 1

/**
 * IAM and STS by the AWS SDK for JavaScript, version 3. The region is the configuration's, else `AWS_REGION`, `AWS_DEFAULT_REGION`,
 * us-east-1; an endpoint without a scheme is meant to be HTTPS. `max_retries` n is n + 1 attempts, and the SDK's own number without one;
 * a user or key whose creation was sent and never answered is not made again.
 *
 * Each configuration has one pair of SDK clients, whose connections are kept. Credentials are those of the configuration or of this
 * option: the SDK's chain is asked only where it is given, as `fromNodeProviderChain()`.
 * @throws TypeError for wrong options.
 */
export function awsCloud(options: AwsCloudOptions = {}): CloudProvider {
  const {
    iam,
    sts,
    credentials,
    namespaces,
    deadlineMs = 15_000,
    ready,
    readyTimeoutMs,
  } = readOptions('awsCloud', options, {
    iam: 1,
    sts: 1,
    credentials: 1,
    namespaces: 1,
    deadlineMs: 1,
    ready: 1,
    readyTimeoutMs: 1,
  })
  if (iam !== undefined && typeof iam?.IAM !== 'function')
    throw new TypeError('awsCloud: iam has to be the package @aws-sdk/client-iam')
  if (sts !== undefined && typeof sts?.STS !== 'function')
    throw new TypeError('awsCloud: sts has to be the package @aws-sdk/client-sts')
  if (credentials !== undefined && typeof credentials !== 'function' && typeof credentials?.accessKeyId !== 'string')
    throw new TypeError(
      'awsCloud: credentials are { accessKeyId, secretAccessKey, sessionToken? } or a function that provides them',
    )
  if (ready !== undefined && typeof ready !== 'function') throw new TypeError('awsCloud: ready has to be a function')
  assertAmbientNamespaces('awsCloud: namespaces', namespaces)
  assertMilliseconds('deadlineMs', deadlineMs)
  if (readyTimeoutMs !== undefined) assertMilliseconds('readyTimeoutMs', readyTimeoutMs)
  return {
    connect: (settings) => awsClient(new AwsConnection(settings, { iam, sts, credentials, deadlineMs: deadlineMs })),
    ...(credentials !== undefined && { ambient: true }),
    ...(namespaces && { ambient_namespaces: [...namespaces] }),
    ...(ready && { ready }),
    ...(readyTimeoutMs !== undefined && { readyTimeoutMs }),
  }
}

function assertMilliseconds(name: string, ms: number): void {
  if (!(ms >= 1 && ms <= MAX_DEADLINE_MS))
    throw new TypeError(`awsCloud: ${name} must be milliseconds, from 1 to ${MAX_DEADLINE_MS}`)
}
