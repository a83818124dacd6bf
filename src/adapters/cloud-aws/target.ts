/**
 * Where IAM and STS are, by a configuration and the environment.
 */
import type { CloudSettings } from '../../engines/cloud/port.ts'
import { AwsError } from './failure.ts'

const DEFAULT_REGION = 'us-east-1'

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>

/** Configuration, `AWS_REGION`, `AWS_DEFAULT_REGION`, us-east-1; an empty one counts as none. */
export const configuredRegion = ({ region }: CloudSettings, variables: EnvironmentVariables): string =>
  region || variables['AWS_REGION'] || variables['AWS_DEFAULT_REGION'] || DEFAULT_REGION

/**
 * The URL of an endpoint; undefined without one. What has no scheme is meant to be HTTPS.
 * @throws AwsError `invalid`
 */
export function endpointUrl(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined || endpoint === '') return undefined
  const text = endpoint.includes('://') ? endpoint : `https://${endpoint}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return text
  throw new AwsError('invalid', 'ERR_INVALID_URL')
}

/**
 * The region that requests to IAM are signed for. There is one IAM in each partition, which takes no other; whoever stands in for it
 * elsewhere is asked by the configured one.
 */
export function iamSigningRegion(region: string, endpoint: string | undefined): string {
  const host = endpoint === undefined ? '' : new URL(endpoint).hostname
  if (!/\.amazonaws\.com(\.cn)?$/.test(host)) return region
  if (region.startsWith('us-gov-')) return 'us-gov-west-1'
  return region.startsWith('cn-') ? 'cn-north-1' : DEFAULT_REGION
}
