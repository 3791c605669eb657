/** A text message and a push by Amazon SNS are the same requests as from its official SDK. */
import type { PublishCommandInput, SNSClient } from '@aws-sdk/client-sns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { credentials, latestSignatures, region, unsigned } from './aws.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const xml = `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">
  <PublishResult><MessageId>94f20ce6-13c5</MessageId></PublishResult>
</PublishResponse>`
const scene = {
  profile: { phone_number: '+12025550143', target_arn: 'arn:aws:sns:eu-central-1:123456789012:endpoint/APNS/app/e1' },
  settings: { region, ...credentials },
  content: { title: 'Grüße', body: 'Hi & welcome 👋' },
}

describe.skipIf(!hasSdks)('Amazon SNS', () => {
  let recorder: Recorder
  let client: SNSClient
  let publish: (input: PublishCommandInput) => Promise<ReturnType<typeof unsigned>>
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: xml, headers: { 'content-type': 'text/xml' } })
    const { SNSClient, PublishCommand } = await import('@aws-sdk/client-sns')
    client = new SNSClient({ region, credentials, endpoint: recorder.url, maxAttempts: 1 })
    publish = async (input) => {
      expect(await client.send(new PublishCommand(input))).toMatchObject({ MessageId: '94f20ce6-13c5' })
      return unsigned(latestLikeness(recorder))
    }
  })
  afterAll(async () => {
    client?.destroy()
    await recorder?.close()
  })

  const adapted = (changes: object = {}) =>
    adapterLikeness(adapter('aws-sns'), { ...scene, ...changes }, xml).map(unsigned)

  test('a text message, and its signature', async () => {
    expect(adapted()).toEqual([await publish({ PhoneNumber: '+12025550143', Message: 'Hi & welcome 👋' })])
    const { ours, theirs } = latestSignatures(recorder, 'sns')
    expect(ours).toBe(theirs)
  })

  test('a text message with a sender, and an attribute of the override', async () => {
    const price = { 'AWS.SNS.SMS.MaxPrice': { DataType: 'Number', StringValue: '0.50' } }
    const sent = await publish({
      PhoneNumber: '+12025550143',
      Message: 'Hi & welcome 👋',
      MessageAttributes: {
        'AWS.SNS.SMS.SenderID': { DataType: 'String', StringValue: 'Example' },
        'AWS.SNS.SMS.SMSType': { DataType: 'String', StringValue: 'Transactional' },
        ...price,
      },
    })
    const settings = { ...scene.settings, senderId: 'Example', smsType: 'Transactional' }
    expect(adapted({ settings, override: { body: { MessageAttributes: price } } })).toEqual([sent])
  })

  test('a push to an endpoint, with a message for each platform', async () => {
    const apple = JSON.stringify({ aps: { alert: { title: 'Grüße', body: 'Hi & welcome 👋' } } })
    const sent = await publish({
      TargetArn: scene.profile.target_arn,
      MessageStructure: 'json',
      Message: JSON.stringify({
        default: 'Hi & welcome 👋',
        APNS: apple,
        APNS_SANDBOX: apple,
        GCM: JSON.stringify({ notification: { title: 'Grüße', body: 'Hi & welcome 👋' } }),
      }),
    })
    expect(adapted({ channel: 'push' })).toEqual([sent])
  })
})
