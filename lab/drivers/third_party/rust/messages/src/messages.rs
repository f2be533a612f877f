//! Signed messages, built from a canonicalizer, a signature library and a multibase library.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use multibase::Base;
use serde_json::{Map, Value, json};

/// Operation with the "ok" of its result.
type Operation = fn(&Value) -> Result<Value, Failure>;

/// Operations, by name.
pub const OPERATIONS: &[(&str, Operation)] = &[
    ("comm.canonicalize", canonicalize),
    ("comm.ed25519.sign", sign_bytes),
    ("comm.ed25519.verify", verify_bytes),
    ("comm.did.encode", encode),
    ("comm.did.decode", decode),
    ("comm.message.payload", payload_of_message),
    ("comm.message.sign", sign_message),
    ("comm.message.verify", verify_message),
];

/// Outcome of an operation that has no result.
pub enum Failure {
    /// The libraries lack a feature.
    Unsupported(&'static str),
    /// A library reports an error.
    Rejected(String),
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Rejected(error.to_string())
    }
}

const DID_KEY: &str = "did:key:";

/// Multicodec of an Ed25519 public key.
const ED25519_CODEC: u64 = 0xed;

/// Members of a message that a signature covers.
const SIGNED: &[&str] = &[
    "id",
    "correlationId",
    "sender",
    "recipient",
    "protocol",
    "messageType",
    "payload",
];

fn canonicalize(args: &Value) -> Result<Value, Failure> {
    if args["float64Hex"].is_string() {
        let number = f64::from_be_bytes(array(args, "float64Hex")?);
        return Ok(text_and_bytes(serde_json_canonicalizer::to_string(
            &number,
        )?));
    }
    let value: Value = serde_json::from_str(text(args, "text"))?;
    Ok(text_and_bytes(serde_json_canonicalizer::to_string(&value)?))
}

fn sign_bytes(args: &Value) -> Result<Value, Failure> {
    let key = SigningKey::from_bytes(&array(args, "seedHex")?);
    let signature = key.sign(&hex::decode(text(args, "messageHex"))?);
    Ok(json!({
        "publicKeyHex": hex::encode(key.verifying_key().as_bytes()),
        "signatureHex": hex::encode(signature.to_bytes()),
    }))
}

fn verify_bytes(args: &Value) -> Result<Value, Failure> {
    let key = hex::decode(text(args, "publicKeyHex"))?;
    let signature = hex::decode(text(args, "signatureHex"))?;
    Ok(json!({ "valid": is_valid(&key, &hex::decode(text(args, "messageHex"))?, &signature) }))
}

/// Returns true if a signature is valid by the stricter of the two checks of the library.
fn is_valid(key: &[u8], data: &[u8], signature: &[u8]) -> bool {
    let (Ok(key), Ok(signature)) = (
        VerifyingKey::try_from(key),
        Signature::from_slice(signature),
    ) else {
        return false;
    };
    key.verify_strict(data, &signature).is_ok()
}

fn encode(args: &Value) -> Result<Value, Failure> {
    let mut buffer = unsigned_varint::encode::u64_buffer();
    let mut data = unsigned_varint::encode::u64(ED25519_CODEC, &mut buffer).to_vec();
    data.extend(hex::decode(text(args, "publicKeyHex"))?);
    Ok(json!({ "did": format!("{DID_KEY}{}", multibase::encode(Base::Base58Btc, data)) }))
}

fn decode(args: &Value) -> Result<Value, Failure> {
    Ok(json!({ "publicKeyHex": hex::encode(decode_did(text(args, "did"))?) }))
}

/// Returns the key of a did:key, which is not necessarily a point of the curve.
fn decode_did(did: &str) -> Result<[u8; 32], Failure> {
    let encoded = did
        .strip_prefix(DID_KEY)
        .ok_or_else(|| rejected("not a did:key"))?;
    let (base, data) = multibase::decode(encoded)?;
    let (codec, key) = unsigned_varint::decode::u64(&data)?;
    if base != Base::Base58Btc || codec != ED25519_CODEC {
        return Err(rejected("not an Ed25519 key in base58btc"));
    }
    Ok(key.try_into()?)
}

/// Returns the canonical JSON that a signature covers.
fn payload(message: &Value) -> Result<String, Failure> {
    let mut members = Map::new();
    for name in SIGNED {
        if let Some(value) = message.get(name)
            && (*name == "payload" || !value.is_null())
        {
            members.insert(name.to_string(), value.clone());
        }
    }
    Ok(serde_json_canonicalizer::to_string(&members)?)
}

fn payload_of_message(args: &Value) -> Result<Value, Failure> {
    Ok(text_and_bytes(payload(&message(args)?)?))
}

fn sign_message(args: &Value) -> Result<Value, Failure> {
    let mut message = message(args)?;
    let key = SigningKey::from_bytes(&array(args, "seedHex")?);
    let signature = key.sign(payload(&message)?.as_bytes());
    message["signature"] = json!(BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes()));
    Ok(json!({ "message": message }))
}

fn verify_message(args: &Value) -> Result<Value, Failure> {
    if args.get("didDocuments").is_some() {
        return Err(Failure::Unsupported("a sender is a did:key"));
    }
    let message = message(args)?;
    if args["recipient"].is_string() && args["recipient"] != message["recipient"] {
        return invalid("recipient_mismatch");
    }
    let Some(encoded) = message["signature"].as_str() else {
        return invalid("signature_missing");
    };
    let sender = text(&message, "sender");
    let Some(multikey) = sender.strip_prefix(DID_KEY) else {
        return invalid("did_method_unsupported");
    };
    let Ok(key) = decode_did(sender) else {
        return invalid("did_invalid");
    };
    let Ok(signature) = BASE64_URL_SAFE_NO_PAD.decode(encoded) else {
        return invalid("signature_malformed");
    };
    if !is_valid(&key, payload(&message)?.as_bytes(), &signature) {
        return invalid("signature_invalid");
    }
    let covered: Vec<_> = SIGNED
        .iter()
        .filter(|name| message.get(**name).is_some())
        .collect();
    Ok(json!({ "valid": true, "keyId": format!("{sender}#{multikey}"), "covered": covered }))
}

fn invalid(reason: &str) -> Result<Value, Failure> {
    Ok(json!({ "valid": false, "reason": reason }))
}

fn rejected(message: &str) -> Failure {
    Failure::Rejected(message.to_owned())
}

fn message(args: &Value) -> Result<Value, Failure> {
    Ok(serde_json::from_str(text(args, "messageText"))?)
}

fn text<'a>(args: &'a Value, name: &str) -> &'a str {
    args[name].as_str().unwrap_or_default()
}

fn array<const N: usize>(args: &Value, name: &str) -> Result<[u8; N], Failure> {
    hex::decode(text(args, name))?
        .try_into()
        .map_err(|_| rejected("wrong length"))
}

fn text_and_bytes(text: String) -> Value {
    json!({ "utf8Hex": hex::encode(&text), "text": text })
}
