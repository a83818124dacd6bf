/**
 * POST and GET config/root (spec document 1, "Configure root credentials", "Read root configuration"): whom the mount asks, and as whom.
 */
import { invalid } from '../../../core/base/errors.ts'
import { base62 } from '../../../core/base/identifiers.ts'
import { operation } from '../../../core/contract/operation.ts'
import { f } from '../../../core/field/fields.ts'
import { assertCredentialsUsable } from '../ambient.ts'
import { ROOT, ROOT_NAME } from '../records.ts'
import { singleLine } from '../single-line.ts'
import { defaultTemplate, validateNameTemplate } from '../username.ts'

/** Those that break no template into lines. */
const NOT_IN_TEMPLATES = /[^\P{Cc}\t\n\r]/u

export const configureRoot = operation({
  kind: 'write',
  verb: 'POST',
  path: '/config/root',
  forwardable: true,
  summary: 'Sets whom the mount asks, and as whom. Replaces all that was set before. Nothing is tried.',
  fields: {
    access_key: singleLine(
      'The id of an access key. Left out with its secret where the provider has credentials of its own.',
    ).default(''),
    secret_key: singleLine('Its secret. Never shown.').default(''),
    region: singleLine('The region. Default: as the provider says.').default(''),
    iam_endpoint: singleLine('The URL of IAM. Default: the region’s.').default(''),
    sts_endpoint: singleLine('The URL of STS. Default: the region’s.').default(''),
    max_retries: f.int('Attempts after the first; negative: as the provider says.').default(-1),
    username_template: f
      .text(
        'Makes names of users, sessions and tokens: Go template over `.Type` (`IAM` or `STS`), `.DisplayName` and `.PolicyName`. At most 64 characters may come of it, of type STS 32.',
      )
      .default(''),
  },
  returns: {},
  run: (tx, { access_key, secret_key, username_template, ...rest }) => {
    if (access_key === '' && secret_key !== '') throw invalid('access_key: is required with secret_key')
    if (secret_key === '' && access_key !== '') throw invalid('secret_key: is required with access_key')
    assertCredentialsUsable(tx, { access_key })
    if (NOT_IN_TEMPLATES.test(username_template)) throw invalid('username_template: must not hold control characters')
    if (username_template !== '') validateNameTemplate(username_template, { now: tx.now, entropy: tx.env.entropy })
    tx.put(ROOT, ROOT_NAME, {
      ...rest,
      access_key,
      secret_key,
      username_template,
      generation: tx.once('generation', async () => base62(tx.env.entropy, 16)),
    })
    tx.event('root.configured', {})
    return undefined
  },
})

export const readRoot = operation({
  kind: 'read',
  verb: 'GET',
  path: '/config/root',
  summary: 'Shows whom the mount asks. Never the secret of its key.',
  fields: {},
  returns: {
    access_key: f.text('The id of the access key; empty: credentials of the provider.'),
    region: f.text('The region; empty: as the provider says.'),
    iam_endpoint: f.text('The URL of IAM; empty: the region’s.'),
    sts_endpoint: f.text('The URL of STS; empty: the region’s.'),
    max_retries: f.int('Attempts after the first; negative: as the provider says.'),
    username_template: f.text('What makes names, the default where none was set.'),
  },
  run: (tx) => {
    const found = tx.get(ROOT, ROOT_NAME)
    if (!found) return undefined
    const { access_key, region, iam_endpoint, sts_endpoint, max_retries, username_template } = found
    return {
      access_key,
      region,
      iam_endpoint,
      sts_endpoint,
      max_retries,
      username_template: username_template || defaultTemplate(tx.env.ciphertextPrefix),
    }
  },
})
