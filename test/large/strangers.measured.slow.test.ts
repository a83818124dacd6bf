import { describeStrangers } from './strangers-cases.ts'
import { watched } from './watched.ts'

describeStrangers(24_000_000, watched)
