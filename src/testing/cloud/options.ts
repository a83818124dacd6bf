/**
 * What the fake cloud may be told about the world it stands for, and the world without that.
 */

export interface FakeCloudOptions {
  /** Default: 123456789012. */
  readonly account?: string
  /** The only keys that are known at first, those of the user `engine-root`. Absent: any are known, each those of a user of its own. */
  readonly root?: { readonly access_key: string; readonly secret_key: string }
  /** By name: how many keys they have. Default: `app-none` and `app-more` none, `app-one` one, `app-two` two. */
  readonly users?: Readonly<Record<string, number>>
  /** By name. Default: `devs`, `ops`, `empty` and `broken`, whose inline policy is no JSON. */
  readonly groups?: Readonly<Record<string, FakeCloudGroup>>
  /** ARNs of managed policies. Absent: every policy that is asked for exists. */
  readonly policies?: readonly string[]
  /** The longest session in seconds by path and name, such as `team/deep`. Absent: every role may be assumed, for 12 hours. */
  readonly roles?: Readonly<Record<string, number>>
  /** Milliseconds since the Unix epoch, such as `clock.now`. Default: the machine's. */
  readonly now?: () => number
}

export interface FakeCloudGroup {
  /** ARNs. */
  readonly attached?: readonly string[]
  /** Documents by name. */
  readonly inline?: Readonly<Record<string, string>>
}

const MANAGED = 'arn:aws:iam::aws:policy'

export const GROUPS: Readonly<Record<string, FakeCloudGroup>> = {
  devs: {
    attached: [`${MANAGED}/ReadOnlyAccess`, `${MANAGED}/AmazonEC2FullAccess`],
    inline: {
      g1: '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:Get*","Resource":"*"}]}',
      g2: '{"Version":"2012-10-17","Statement":{"Sid":"q","Effect":"Allow","Action":["sqs:*"],"Resource":"*"}}',
    },
  },
  ops: { attached: [`${MANAGED}/ReadOnlyAccess`] },
  empty: {},
  broken: { inline: { bad: 'no JSON' } },
}

export const USERS: Readonly<Record<string, number>> = { 'app-none': 0, 'app-more': 0, 'app-one': 1, 'app-two': 2 }
export const ROOT_USER = 'engine-root'
