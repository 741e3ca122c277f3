// A bare bot in C++, from the .proto files alone: it delivers as much as it can, and else takes
// the first legal move.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>

#include <grpcpp/grpcpp.h>

#include "santiago/v1/bot.grpc.pb.h"

namespace {

using namespace santiago::v1;
using Stream = grpc::ServerReaderWriter<PlayResponse, PlayRequest>;

constexpr int kProtocolVersion = 1;
constexpr int kLongestMessage = 4 * 1024 * 1024;  // the whole game comes at once after a lost line
const char kDefaultAddress[] = "127.0.0.1:50051";

// How much a move delivers; 0 for all that are no deliveries.
int delivered(const Move& move) {
  return move.verb() == VERB_DELIVER || move.verb() == VERB_DELIVER_WOOD ? move.count() : 0;
}

int best_index(const Decision& decision) {
  int best = 0;
  for (int index = 1; index < decision.legal_size(); ++index) {
    if (delivered(decision.legal(index)) > delivered(decision.legal(best))) best = index;
  }
  return best;
}

class BareBot final : public Bot::Service {
  grpc::Status Describe(grpc::ServerContext*, const DescribeRequest*,
                        DescribeResponse* response) override {
    response->set_name("bare");
    response->set_version("1");
    response->set_author("Santiago Arena");
    response->set_language("C++");
    response->set_protocol_version(kProtocolVersion);
    return grpc::Status::OK;
  }

  // One stream is one seat of one game, and has a thread of its own.
  grpc::Status Play(grpc::ServerContext*, Stream* stream) override {
    PlayRequest request;
    while (stream->Read(&request)) {
      PlayResponse response;
      switch (request.message_case()) {
        case PlayRequest::kStart:
          response.mutable_accept();
          stream->Write(response);
          break;
        case PlayRequest::kDecision:
          response.mutable_choice()->set_decision_id(request.decision().id());
          response.mutable_choice()->set_index(best_index(request.decision()));
          stream->Write(response);
          break;
        case PlayRequest::kFault:
          std::cerr << "bare has faulted: " << request.fault().sentence() << std::endl;
          return grpc::Status::OK;
        case PlayRequest::kEnd:
          return grpc::Status::OK;
        default:  // of a later protocol: passed over
          break;
      }
    }
    return grpc::Status::OK;  // the line broke, or the referee hung up
  }
};

}  // namespace

int main() {
  const char* told = std::getenv("SANTIAGO_ADDRESS");
  const std::string address = told && *told ? told : kDefaultAddress;
  BareBot bot;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.SetMaxReceiveMessageSize(kLongestMessage);
  builder.RegisterService(&bot);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) {
    std::cerr << "Nothing can listen on " << address << "." << std::endl;
    return 1;
  }
  std::cerr << "bare is waiting for games on " << address << "." << std::endl;
  server->Wait();
}
