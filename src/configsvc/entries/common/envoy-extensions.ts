/**
 * Extensions of proxies: those that are built in, and no others.
 */
import { aliased, bool, checkWord, free, list, record, text } from '../members/index.ts'

const BUILT_IN = [
  'builtin/aws/lambda',
  'builtin/ext-authz',
  'builtin/http/localratelimit',
  'builtin/lua',
  'builtin/otel-access-logging',
  'builtin/property-override',
  'builtin/wasm',
]

const extension = record(
  {
    Name: text(),
    Required: bool(),
    Arguments: free(),
    ConsulVersion: aliased(text(), null),
    EnvoyVersion: aliased(text(), null),
  },
  { rule: ({ Name = '' }, path) => checkWord(BUILT_IN, Name, `${path}.Name`) },
)

export const ENVOY_EXTENSIONS = list(extension)
