import { testSignedMessages } from './test-signed-messages.ts'

testSignedMessages('P-256')
