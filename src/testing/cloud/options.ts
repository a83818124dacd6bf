export interface FakeCloudOptions {
  /** The account id. Default: 123456789012. */
  readonly account?: string
  /**
   * The only access key that is valid at the start. It belongs to the user `engine-root`. If absent, every access key is valid, and each
   * belongs to a user of its own.
   */
  readonly root?: { readonly access_key: string; readonly secret_key: string }
  /**
   * The users that exist at the start: maps each user name to the number of access keys. Default: `app-none` and `app-more` without keys,
   * `app-one` with one, `app-two` with two.
   */
  readonly users?: Readonly<Record<string, number>>
  /** The groups, keyed by name. Default: `devs`, `ops`, `empty`, and `broken`, which has an inline policy that is not JSON. */
  readonly groups?: Readonly<Record<string, FakeCloudGroup>>
  /** The ARNs of the managed policies that exist. If absent, every managed policy exists. */
  readonly policies?: readonly string[]
  /**
   * The IAM roles that exist: maps each path and name, such as `team/deep`, to the maximum session duration in seconds. If absent, every role
   * exists, with a maximum of 12 hours.
   */
  readonly roles?: Readonly<Record<string, number>>
  /** Returns the current time in milliseconds since the Unix epoch, such as `clock.now`. Default: `Date.now`. */
  readonly now?: () => number
}

export interface FakeCloudGroup {
  /** The ARNs of attached managed policies. */
  readonly attached?: readonly string[]
  /** The inline policy documents, keyed by policy name. */
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
