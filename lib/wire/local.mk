lib_libmodelgateway_la_SOURCES += \
    lib/wire/count.c lib/wire/count.h \
    lib/wire/count_request.c lib/wire/count_request.h \
    lib/wire/errors.c lib/wire/errors.h \
    lib/wire/facts.c lib/wire/facts.h \
    lib/wire/family.c lib/wire/family.h \
    lib/wire/inspect.c lib/wire/inspect.h \
    lib/wire/model_list.c lib/wire/model_list.h \
    lib/wire/needs.c lib/wire/needs.h \
    lib/wire/pass.c lib/wire/pass.h \
    lib/wire/purge.c lib/wire/purge.h \
    lib/wire/relay.c lib/wire/relay.h \
    lib/wire/sse.c lib/wire/sse.h \
    lib/wire/upward.c lib/wire/upward.h \
    lib/wire/usage.c lib/wire/usage.h \
    lib/wire/weight.c lib/wire/weight.h

# translation: replies
lib_libmodelgateway_la_SOURCES += \
    lib/wire/balance.c lib/wire/balance.h \
    lib/wire/bridge.c lib/wire/bridge.h \
    lib/wire/chat_calls.c lib/wire/chat_calls.h \
    lib/wire/chat_end.c lib/wire/chat_end.h \
    lib/wire/chat_message.c lib/wire/chat_message.h \
    lib/wire/chat_reply.c lib/wire/chat_reply.h \
    lib/wire/chat_writer.c lib/wire/chat_writer.h \
    lib/wire/cites.c lib/wire/cites.h \
    lib/wire/completions_writer.c lib/wire/completions_writer.h \
    lib/wire/decoder.c lib/wire/decoder.h \
    lib/wire/encoder.c lib/wire/encoder.h lib/wire/event.h \
    lib/wire/logprobs.c lib/wire/logprobs.h \
    lib/wire/messages_content.c lib/wire/messages_content.h \
    lib/wire/messages_reply.c lib/wire/messages_reply.h \
    lib/wire/messages_writer.c lib/wire/messages_writer.h \
    lib/wire/order.c lib/wire/order.h \
    lib/wire/response_object.c lib/wire/response_object.h \
    lib/wire/output_item.c lib/wire/output_item.h \
    lib/wire/responses_items.c lib/wire/responses_items.h \
    lib/wire/responses_places.c lib/wire/responses_places.h \
    lib/wire/responses_reply.c lib/wire/responses_reply.h \
    lib/wire/responses_window.c lib/wire/responses_window.h \
    lib/wire/responses_writer.c lib/wire/responses_writer.h \
    lib/wire/restore.c lib/wire/restore.h \
    lib/wire/unwrap.c lib/wire/unwrap.h

# translation: requests
lib_libmodelgateway_la_SOURCES += \
    lib/wire/base64.c \
    lib/wire/chat_body.c \
    lib/wire/chat_request.c \
    lib/wire/completions_request.c \
    lib/wire/crossing.c \
    lib/wire/effort.c \
    lib/wire/fit.c \
    lib/wire/history.c \
    lib/wire/map.c \
    lib/wire/media.c \
    lib/wire/members.c \
    lib/wire/messages_body.c \
    lib/wire/messages_request.c \
    lib/wire/messages_settings.c \
    lib/wire/names.c \
    lib/wire/node.c \
    lib/wire/pack.c \
    lib/wire/compact.c \
    lib/wire/compaction.c \
    lib/wire/reasoning.c \
    lib/wire/request.c \
    lib/wire/responses_body.c \
    lib/wire/responses_request.c \
    lib/wire/schema.c \
    lib/wire/settings.c \
    lib/wire/tools_read.c \
    lib/wire/tools_write.c \
    lib/wire/translation.c \
    lib/wire/turn.c \
    lib/wire/base64.h \
    lib/wire/crossing.h \
    lib/wire/effort.h \
    lib/wire/fit.h \
    lib/wire/history.h \
    lib/wire/map.h \
    lib/wire/media.h \
    lib/wire/members.h \
    lib/wire/messages_body.h \
    lib/wire/names.h \
    lib/wire/levels.h \
    lib/wire/node.h \
    lib/wire/pack.h \
    lib/wire/compact.h \
    lib/wire/compaction.h \
    lib/wire/reasoning.h \
    lib/wire/requests.h \
    lib/wire/schema.h \
    lib/wire/settings.h \
    lib/wire/tools.h \
    lib/wire/translate.h \
    lib/wire/turn.h \
    lib/wire/wishes.h

# what is kept of replies
lib_libmodelgateway_la_SOURCES += \
    lib/wire/replay.c lib/wire/replay.h \
    lib/wire/transcript.c lib/wire/transcript.h \
    lib/wire/transcript_chat.c \
    lib/wire/transcript_responses.c

EXTRA_DIST += lib/wire/README.md
