export interface FakeCloudOptions {
  /** The account id. Default: 123456789012. */
  readonly account?: string
  /** The only valid access key at first, which belongs to the user `engine-root`. Absent: any key is valid, as that of a separate user. */
  readonly root?: { readonly access_key: string; readonly secret_key: string }
  /** Existing users by name, with their number of keys. Default: `app-none` and `app-more` with none, `app-one` with one, `app-two` with two. */
  readonly users?: Readonly<Record<string, number>>
  /** Groups by name. Default: `devs`, `ops`, `empty` and `broken`, whose inline policy is not JSON. */
  readonly groups?: Readonly<Record<string, FakeCloudGroup>>
  /** ARNs of the managed policies. Absent: every managed policy exists. */
  readonly policies?: readonly string[]
  /** IAM roles by path and name, such as `team/deep`, with the maximum session duration in seconds. Absent: every role exists, with 12 hours. */
  readonly roles?: Readonly<Record<string, number>>
  /** Returns milliseconds since the Unix epoch, such as `clock.now`. Default: `Date.now`. */
  readonly now?: () => number
}

export interface FakeCloudGroup {
  /** ARNs of attached managed policies. */
  readonly attached?: readonly string[]
  /** Inline policy documents by name. */
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
